// Two warps with 32 x 64 each, a product at a time, and flat indices.
#include "10_mma_pipelines/matmul_mma_transposed_b.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/mma.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch10 {
namespace {

constexpr int PITCH = 32 + 8;

__device__ unsigned two(const __half* tile, int row, int k) {
  return *reinterpret_cast<const unsigned*>(tile + row * PITCH + k);
}

__global__ void __launch_bounds__(64)
    two_warps_kernel(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c) {
  __shared__ alignas(16) __half left[64][PITCH], right[64][PITCH];
  const int first = static_cast<int>(threadIdx.x) / 32 * 32;
  const int place = lane_of_thread() / 4, k0 = lane_of_thread() % 4 * 2;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float sums[16][4] = {};
  for (int from = 0; from < a.cols; from += 32) {
    __syncthreads();
    ch09::stage_tile<64, 32>(a, row0, from, ch09::is_float4_accessible(a), left);
    ch09::stage_tile<64, 32>(b, col0, from, ch09::is_float4_accessible(b), right);
    __syncthreads();
    for (int k = k0; k < 32; k += 16) {
      unsigned parts[2][4];
      for (int i = 0; i < 8; ++i) {
        const int row = first + i / 4 * 16 + i % 2 * 8 + place;
        parts[i / 4][i % 4] = two(&left[0][0], row, k + i % 4 / 2 * 8);
      }
      for (int j = 0; j < 8; ++j) {
        const unsigned other[2] = {two(&right[0][0], 8 * j + place, k),
                                   two(&right[0][0], 8 * j + place, k + 8)};
        multiply_add<__half>(sums[j], parts[0], other);
        multiply_add<__half>(sums[8 + j], parts[1], other);
      }
    }
  }
  for (int i = 0; i < 16; ++i) {
    store_sum(c, row0 + first + i / 8 * 16, col0 + i % 8 * 8, takes_pairs(c), sums[i]);
  }
}

}  // namespace

void matmul_mma_transposed_b(MatrixView<const __half> a, MatrixView<const __half> b,
                             MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, MatrixView<const __half>{b.data, b.cols, b.rows, b.rows}, c);
  require_matrix(b, "B");
  two_warps_kernel<<<dim3(ceil_div(c.cols, 64), ceil_div(c.rows, 64)), 64, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch10
