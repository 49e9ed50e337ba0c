// A flat grid of blocks of 128 threads with 8 x 16 elements each; everything by its own address.
#include "08_reductions/gemm_transposed.hpp"

#include <cuda_pipeline.h>

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch08 {
namespace {

constexpr int TILE = 128, STEP = 8, LINE = TILE + 4;

__device__ bool in_fours(const float* data, std::int64_t stride) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && stride % 4 == 0;
}

/// Four of a row from memory to shared memory, or what there is of them.
__device__ void fetch_four(float* to, const MatrixView<const float>& m, int row, int col,
                           bool fours) {
  if (fours && row < m.rows && col + 4 <= m.cols) {
    __pipeline_memcpy_async(to, m.data + row * m.stride + col, 16);
    return;
  }
  for (int i = 0; i < 4; ++i) to[i] = row < m.rows && col + i < m.cols ? m(row, col + i) : 0.0f;
}

__global__ void __launch_bounds__(128)
    gemm_flat(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
              MatrixView<float> c, unsigned wide) {
  __shared__ alignas(16) float shared[2][2][STEP * LINE];  // stage, matrix
  const int top = static_cast<int>(blockIdx.x / wide) * TILE;
  const int left = static_cast<int>(blockIdx.x % wide) * TILE;
  const int t = static_cast<int>(threadIdx.x), y = t / 8, x = t % 8;
  const bool a_fours = in_fours(a.data, a.stride), c_fours = in_fours(c.data, c.stride);
  const auto fetch = [&](int k0, int stage) {
    for (int i = t; i < STEP * TILE / 4; i += 128) {
      fetch_four(&shared[stage][0][i / 32 * LINE + i % 32 * 4], a, k0 + i / 32, top + i % 32 * 4,
                 a_fours);
    }
    for (int i = t; i < STEP * TILE; i += 128) {
      const int k = i % 8, n = i / 8;
      float* to = &shared[stage][1][k * LINE + n];
      if (left + n < b.rows && k0 + k < b.cols) {
        __pipeline_memcpy_async(to, b.data + (left + n) * b.stride + k0 + k, 4);
      } else {
        *to = 0;
      }
    }
    __pipeline_commit();
  };
  float sums[8][16] = {};
  fetch(0, 0);
  int stage = 0;
  for (int k0 = 0; k0 < a.rows; k0 += STEP) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (k0 + STEP < a.rows) fetch(k0 + STEP, stage ^ 1);
    for (int k = 0; k < STEP; ++k) {
      const float* from_a = &shared[stage][0][k * LINE + y * 8];
      const float* from_b = &shared[stage][1][k * LINE];
      float four[8];
      for (int i = 0; i < 8; i += 4) {
        const float4 v = *reinterpret_cast<const float4*>(from_a + i);
        four[i] = v.x, four[i + 1] = v.y, four[i + 2] = v.z, four[i + 3] = v.w;
      }
      for (int j = 0; j < 16; j += 4) {
        const float4 v = *reinterpret_cast<const float4*>(from_b + (j / 4 * 8 + x) * 4);
        for (int i = 0; i < 8; ++i) {
          sums[i][j] += four[i] * v.x;
          sums[i][j + 1] += four[i] * v.y;
          sums[i][j + 2] += four[i] * v.z;
          sums[i][j + 3] += four[i] * v.w;
        }
      }
    }
    stage ^= 1;
  }
  for (int i = 0; i < 8; ++i) {
    const int row = top + y * 8 + i;
    if (row >= c.rows) return;
    for (int j = 0; j < 16; j += 4) {
      const int col = left + (j / 4 * 8 + x) * 4;
      float* to = c.data + row * c.stride + col;
      if (c_fours && col + 4 <= c.cols) {
        float4 v = make_float4(alpha * sums[i][j], alpha * sums[i][j + 1], alpha * sums[i][j + 2],
                               alpha * sums[i][j + 3]);
        if (beta != 0) {
          const float4 old = *reinterpret_cast<float4*>(to);
          v = make_float4(v.x + beta * old.x, v.y + beta * old.y, v.z + beta * old.z,
                          v.w + beta * old.w);
        }
        *reinterpret_cast<float4*>(to) = v;
      } else {
        for (int n = 0; n < 4 && col + n < c.cols; ++n) {
          const float v = alpha * sums[i][j + n];
          to[n] = beta == 0 ? v : v + beta * to[n];
        }
      }
    }
  }
}

}  // namespace

void gemm_transposed(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                     MatrixView<float> c, cudaStream_t stream) {
  require_matrix(a, "A");
  require_matrix(b, "B");
  require_matrix(c, "C");
  require(a.rows == b.cols && c.rows == a.cols && c.cols == b.rows, "the shapes do not fit");
  const auto wide = static_cast<unsigned>(ceil_div(c.cols, TILE));
  const auto high = static_cast<unsigned>(ceil_div(c.rows, TILE));
  gemm_flat<<<wide * high, 128, 0, stream>>>(alpha, a, b, beta, c, wide);
  check_launch();
}

}  // namespace tut::ch08
