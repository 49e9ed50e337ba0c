// Two rows are looked at as one line of 8 chunks, and exchanged by its number, all three bits of it
// and eight warps.
#include "10_mma_pipelines/matmul_swizzled_rows.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/swizzled_tile.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch10 {
namespace {

__device__ int place_in_lines(int row, int k) {
  const int line = row / 2, chunk = row % 2 * 4 + k / 8;
  return line * 64 + (chunk ^ (line % 8)) * 8;
}

__global__ void __launch_bounds__(256)
    lines_kernel(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c) {
  __shared__ alignas(128) __half left[64 * 32], right[32 * 64];
  const int warp = threadIdx.x / 32, lane = lane_of_thread(), thread = threadIdx.x;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int row = warp % 4 * 16, col = warp / 4 * 32;
  float sums[4][4] = {};
  for (int k0 = 0; k0 < a.cols; k0 += 32) {
    const int r = thread / 4, k = thread % 4 * 8;
    copy_chunk(a, row0 + r, k0 + k, ch09::is_float4_accessible(a), left + place_in_lines(r, k));
    copy_tile<256, 32, 64>(b, k0, col0, ch09::is_float4_accessible(b), right);
    ptx::cp_async_wait_all();
    __syncthreads();
    for (int step = 0; step < 32; step += 16) {
      unsigned part[4];
      ptx::ldmatrix_x4(part, left + place_in_lines(row + lane % 16, step + lane / 16 * 8));
      for (int j = 0; j < 2; ++j) {
        unsigned others[2][2];
        load_b<64>(others, right, step, col + 16 * j);
        multiply_add<__half>(sums[2 * j], part, others[0]);
        multiply_add<__half>(sums[2 * j + 1], part, others[1]);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) store_sum(c, row0 + row, col0 + col + 8 * j, takes_pairs(c), sums[j]);
}

}  // namespace

void matmul_swizzled_rows(MatrixView<const __half> a, MatrixView<const __half> b,
                          MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  lines_kernel<<<dim3(ceil_div(c.cols, 64), ceil_div(c.rows, 64)), 256, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch10
