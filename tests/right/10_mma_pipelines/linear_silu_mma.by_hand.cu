// Fragments loaded by hand, a warp for 16 rows, and silu by the hyperbolic tangent.
#include "10_mma_pipelines/linear_silu_mma.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/mma.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch10 {
namespace {

using HandTile = __half[64][64 + 8];

__device__ float by_tanh(float v) {
  // For |v| above 40 the tangent is 1 or -1, and v (1 - 1) would lose what is left far below 0.
  return v < -20.0f ? v * expf(v) : 0.5f * v * (1.0f + tanhf(0.5f * v));
}

__global__ void __launch_bounds__(128)
    hand_kernel(MatrixView<const __half> x, MatrixView<const __half> w, const float* bias,
                MatrixView<__half> y) {
  __shared__ alignas(16) HandTile left, right;
  const int warp = threadIdx.x / 32, g = lane_of_thread() / 4, t = lane_of_thread() % 4;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64, row = warp * 16;
  float sums[8][4] = {};
  const auto two = [](const HandTile& tile, int r, int k) {
    return *reinterpret_cast<const unsigned*>(&tile[r][k]);
  };
  for (int k0 = 0; k0 < x.cols; k0 += 64) {
    ch09::stage_tile<128, 64>(x, row0, k0, ch09::is_float4_accessible(x), left);
    ch09::stage_tile<128, 64>(w, col0, k0, ch09::is_float4_accessible(w), right);
    __syncthreads();
    for (int k = 2 * t; k < 64; k += 16) {
      const unsigned part[4] = {two(left, row + g, k), two(left, row + g + 8, k),
                                two(left, row + g, k + 8), two(left, row + g + 8, k + 8)};
      for (int j = 0; j < 8; ++j) {
        const unsigned other[2] = {two(right, 8 * j + g, k), two(right, 8 * j + g, k + 8)};
        multiply_add<__half>(sums[j], part, other);
      }
    }
    __syncthreads();
  }
  const bool pairs = reinterpret_cast<std::uintptr_t>(y.data) % 4 == 0 && y.stride % 2 == 0;
  for (int i = 0; i < 16; ++i) {
    const int r = row0 + row + g + i % 2 * 8, s = col0 + i / 2 * 8 + 2 * t;
    if (r >= y.rows || s >= y.cols) continue;
    const float* two_sums = &sums[i / 2][i % 2 * 2];
    const __half first = __float2half(by_tanh(two_sums[0] + bias[s]));
    if (s + 1 >= y.cols) {
      y(r, s) = first;
      continue;
    }
    const __half second = __float2half(by_tanh(two_sums[1] + bias[s + 1]));
    if (pairs) {
      *reinterpret_cast<__half2*>(&y(r, s)) = __halves2half2(first, second);
    } else {
      y(r, s) = first, y(r, s + 1) = second;
    }
  }
}

}  // namespace

void linear_silu_mma(MatrixView<const __half> x, MatrixView<const __half> w, const float* bias,
                     MatrixView<__half> y, cudaStream_t stream) {
  require_matmul_shapes(x, MatrixView<const __half>{w.data, w.cols, w.rows, w.rows}, y);
  require_matrix(w, "W");
  const dim3 grid(ceil_div(y.cols, 64), ceil_div(y.rows, 64));
  hand_kernel<<<grid, 128, 0, stream>>>(x, w, bias, y);
  check_launch();
}

}  // namespace tut::ch10
