// ldmatrix with two matrices at a time, and one sum after the other.
#include "10_mma_pipelines/matmul_ldmatrix_transposed_a.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/mma.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/ptx/ldmatrix.cuh"

namespace tut::ch10 {
namespace {

using Rows = __half[32][64 + 8];

__global__ void __launch_bounds__(256)
    pairs_kernel(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c) {
  __shared__ alignas(16) Rows left, right;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int row = warp % 4 * 16, col = warp / 4 * 32;
  float sums[4][4] = {};
  for (int k0 = 0; k0 < a.rows; k0 += 32) {
    ch09::stage_tile<256, 64>(a, k0, row0, ch09::is_float4_accessible(a), left);
    ch09::stage_tile<256, 64>(b, k0, col0, ch09::is_float4_accessible(b), right);
    __syncthreads();
    for (int k = 0; k < 32; k += 16) {
      unsigned upper[2], lower[2];  // 8 rows of C each: two times 8 k's
      ptx::ldmatrix_x2_trans(upper, &left[k + lane % 16][row]);
      ptx::ldmatrix_x2_trans(lower, &left[k + lane % 16][row + 8]);
      const unsigned part[4] = {upper[0], lower[0], upper[1], lower[1]};
      for (int j = 0; j < 4; ++j) {
        unsigned other[2];
        ptx::ldmatrix_x2_trans(other, &right[k + lane % 16][col + 8 * j]);
        multiply_add<__half>(sums[j], part, other);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) store_sum(c, row0 + row, col0 + col + 8 * j, takes_pairs(c), sums[j]);
}

}  // namespace

void matmul_ldmatrix_transposed_a(MatrixView<const __half> a, MatrixView<const __half> b,
                                  MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(MatrixView<const __half>{a.data, a.cols, a.rows, a.rows}, b, c);
  require_matrix(a, "A");
  pairs_kernel<<<dim3(ceil_div(c.cols, 64), ceil_div(c.rows, 64)), 256, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch10
