#include "05_shared_memory_tiling/matmul_rectangular.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch05 {
namespace {

template <int BM, int BN, int BK>
__global__ void matmul_rectangular_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                          MatrixView<float> c) {
  static_assert(BK == BN, "one pass of the block covers whole rows of either tile");
  static_assert(BK % BM == 0, "the threads of a block cover the tile of B in whole steps");
  __shared__ float a_tile[BM][BK];  // (row, k)
  __shared__ float b_tile[BK][BN];  // (k, col)

  const int tx = threadIdx.x;  // 0 .. BN - 1
  const int ty = threadIdx.y;  // 0 .. BM - 1
  const int row = blockIdx.y * BM + ty;
  const int col = blockIdx.x * BN + tx;

  float sum = 0.0f;
  for (int k0 = 0; k0 < a.cols; k0 += BK) {
    // TODO: Stage the tile of A, one element a thread, 0 outside the matrix.

    // TODO: Stage the tile of B, BK / BM elements a thread, 0 outside the matrix: in each step the
    // block stages BM whole rows. Which rows of the tile does the thread with this ty stage?
    __syncthreads();

    // TODO: Add the product of row ty of A's tile and column tx of B's tile to sum. How long are
    // they?
    __syncthreads();
  }

  if (row < c.rows && col < c.cols) c(row, col) = sum;
}

}  // namespace

void matmul_rectangular(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                        cudaStream_t stream) {
  constexpr int BM = 8;
  constexpr int BN = 32;
  constexpr int BK = 32;
  require_matmul_shapes(a, b, c);

  const dim3 block(BN, BM);
  dim3 grid(1, 1);
  // TODO: Enough blocks for every column (x) and every row (y) of C, and no more.
  matmul_rectangular_kernel<BM, BN, BK><<<grid, block, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch05
