// Swizzled tiles, filled by cp.async.
#include "10_mma_pipelines/matmul_ldmatrix_transposed_a.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/swizzled_tile.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch10 {
namespace {

__global__ void __launch_bounds__(128)
    swizzled_kernel(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c) {
  __shared__ alignas(128) __half left[64 * 64], right[64 * 64];
  const int warp = threadIdx.x / 32, lane = lane_of_thread();
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int row = warp % 2 * 32, col = warp / 2 * 32;
  float sums[2][4][4] = {};
  for (int k0 = 0; k0 < a.rows; k0 += 64) {
    copy_tile<128, 64, 64>(a, k0, row0, ch09::is_float4_accessible(a), left);
    copy_tile<128, 64, 64>(b, k0, col0, ch09::is_float4_accessible(b), right);
    ptx::cp_async_wait_all();
    __syncthreads();
    for (int k = 0; k < 64; k += 16) {
      for (int i = 0; i < 2; ++i) {
        // Lanes 0 to 15: 8 k's of 16 rows of C. Lanes 16 to 31: the next 8 k's.
        const int at = k + lane / 16 * 8 + lane % 8, r = row + 16 * i + (lane & 8);
        unsigned part[4];
        ptx::ldmatrix_x4_trans(part, &left[swizzled<64>(at, r)]);
        for (int j = 0; j < 2; ++j) {
          unsigned others[2][2];
          load_b<64>(others, right, k, col + 16 * j);
          multiply_add<__half>(sums[i][2 * j], part, others[0]);
          multiply_add<__half>(sums[i][2 * j + 1], part, others[1]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i) {
    store_sum(c, row0 + row + i / 4 * 16, col0 + col + i % 4 * 8, takes_pairs(c),
              sums[i / 4][i % 4]);
  }
}

}  // namespace

void matmul_ldmatrix_transposed_a(MatrixView<const __half> a, MatrixView<const __half> b,
                                  MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(MatrixView<const __half>{a.data, a.cols, a.rows, a.rows}, b, c);
  require_matrix(a, "A");
  swizzled_kernel<<<dim3(ceil_div(c.cols, 64), ceil_div(c.rows, 64)), 128, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch10
