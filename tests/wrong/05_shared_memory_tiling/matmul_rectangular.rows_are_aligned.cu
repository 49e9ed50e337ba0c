// fails: misaligned
// Takes rows of B that are a multiple of 16 bytes apart to begin at one, and reads them as float4.
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
  __shared__ float b_tile[BK][BN];  // (k, col)

  const int tx = threadIdx.x;  // 0 .. BN - 1
  const int ty = threadIdx.y;  // 0 .. BM - 1
  const int row = blockIdx.y * BM + ty;
  const int col = blockIdx.x * BN + tx;

  float sum = 0.0f;
  for (int k0 = 0; k0 < a.cols; k0 += BK) {
    a_tile[ty][tx] = row < a.rows && k0 + tx < a.cols ? a(row, k0 + tx) : 0.0f;

    if (b.cols % 4 == 0 && b.stride % 4 == 0) {
      const int k = ty * 4 + tx / 8, first = tx % 8 * 4;
      const int first_col = blockIdx.x * BN + first;
      float4 four = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      if (k0 + k < b.rows && first_col < b.cols) {
        four = *reinterpret_cast<const float4*>(&b(k0 + k, first_col));
      }
      b_tile[k][first] = four.x;
      b_tile[k][first + 1] = four.y;
      b_tile[k][first + 2] = four.z;
      b_tile[k][first + 3] = four.w;
    } else {
      for (int k = ty; k < BK; k += BM) {
        b_tile[k][tx] = k0 + k < b.rows && col < b.cols ? b(k0 + k, col) : 0.0f;
      }
    }
    __syncthreads();

    for (int k = 0; k < BK; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
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
  grid = dim3(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_rectangular_kernel<BM, BN, BK><<<grid, block, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch05
