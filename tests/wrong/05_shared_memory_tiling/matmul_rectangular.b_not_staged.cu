// fails: budget
// says: times the 516096 of the contract's Cost
// Reads B from global memory for every row of the block.
#include "05_shared_memory_tiling/matmul_rectangular.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch05 {
namespace {

template <int BM, int BN, int BK>
__global__ void matmul_rectangular_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                          MatrixView<float> c) {
  static_assert(BK == BN, "one pass of the block covers whole rows of either tile");
  static_assert(BK % BM == 0, "the threads of a block cover the tile of B in whole steps");
  __shared__ float a_tile[BM][BK];  // (row, k)

  const int tx = threadIdx.x;  // 0 .. BN - 1
  const int ty = threadIdx.y;  // 0 .. BM - 1
  const int row = blockIdx.y * BM + ty;
  const int col = blockIdx.x * BN + tx;

  float sum = 0.0f;
  for (int k0 = 0; k0 < a.cols; k0 += BK) {
    // Stage the tile of A, one element a thread, 0 outside the matrix.
    a_tile[ty][tx] = row < a.rows && k0 + tx < a.cols ? a(row, k0 + tx) : 0.0f;

    __syncthreads();

    for (int k = 0; k < BK && k0 + k < b.rows && col < b.cols; ++k) {
      sum += a_tile[ty][k] * b(k0 + k, col);
    }
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
  // Enough blocks for every column (x) and every row (y) of C, and no more.
  grid = dim3(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_rectangular_kernel<BM, BN, BK><<<grid, block, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch05
