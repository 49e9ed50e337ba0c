// The sums go through shared memory, as in chapter 09, and a lane finishes four neighbours of a
// row.
#include "10_mma_pipelines/linear_silu_mma.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/mma.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/ptx/ldmatrix.cuh"

namespace tut::ch10 {
namespace {

using Rows = __half[64][64 + 8];
using SumRows = float[16][32 + 8];

__device__ void finish_four(MatrixView<__half> y, int row, int col, const float4& sums,
                            const float* bias) {
  const bool whole =
      reinterpret_cast<std::uintptr_t>(y.data) % 8 == 0 && y.stride % 4 == 0 && col + 4 <= y.cols;
  const float four[4] = {sums.x, sums.y, sums.z, sums.w};
  alignas(8) __half out[4];
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    if (col + e >= y.cols) break;
    const float v = four[e] + bias[col + e];
    out[e] = __float2half(v / (1.0f + expf(-v)));
    if (!whole) y(row, col + e) = out[e];
  }
  if (whole) *reinterpret_cast<uint2*>(&y(row, col)) = *reinterpret_cast<const uint2*>(out);
}

__global__ void __launch_bounds__(256)
    by_memory_kernel(MatrixView<const __half> x, MatrixView<const __half> w, const float* bias,
                     MatrixView<__half> y) {
  __shared__ alignas(16) Rows left, right;
  __shared__ alignas(16) SumRows places[8];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int row = warp / 2 * 16, col = warp % 2 * 32;
  float sums[4][4] = {};
  for (int k0 = 0; k0 < x.cols; k0 += 64) {
    ch09::stage_tile<256, 64>(x, row0, k0, ch09::is_float4_accessible(x), left);
    ch09::stage_tile<256, 64>(w, col0, k0, ch09::is_float4_accessible(w), right);
    __syncthreads();
    for (int k = 0; k < 64; k += 16) {
      unsigned part[4];
      ptx::ldmatrix_x4(part, &left[row + lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        unsigned other[2];
        ptx::ldmatrix_x2(other, &right[col + 8 * j + lane % 8][k + lane / 8 % 2 * 8]);
        multiply_add<__half>(sums[j], part, other);
      }
    }
    __syncthreads();
  }
  SumRows& own = places[warp];
  for (int j = 0; j < 4; ++j) {
    for (int e = 0; e < 4; e += 2) {
      const Place at = sum_place(lane, e);
      *reinterpret_cast<float2*>(&own[at.row][8 * j + at.col]) =
          make_float2(sums[j][e], sums[j][e + 1]);
    }
  }
  __syncwarp();
  for (int i = lane; i < 128; i += 32) {
    const int at = i / 32 * 4 + i % 4, four = i / 4 % 8 * 4;
    const int r = row0 + row + at, c = col0 + col + four;
    const float4 values = *reinterpret_cast<const float4*>(&own[at][four]);
    if (r < y.rows && c < y.cols) finish_four(y, r, c, values, bias);
  }
}

}  // namespace

void linear_silu_mma(MatrixView<const __half> x, MatrixView<const __half> w, const float* bias,
                     MatrixView<__half> y, cudaStream_t stream) {
  require_matmul_shapes(x, MatrixView<const __half>{w.data, w.cols, w.rows, w.rows}, y);
  require_matrix(w, "W");
  const dim3 grid(ceil_div(y.cols, 64), ceil_div(y.rows, 64));
  by_memory_kernel<<<grid, 256, 0, stream>>>(x, w, bias, y);
  check_launch();
}

}  // namespace tut::ch10
