// Pointers, dynamic shared memory, and a step of 32 along K.
#include "07_register_tiling/matmul_tile_transposed_a.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

constexpr int STEP = 32;

/// Four neighbours, 0 where the matrix has none.
__device__ float4 four(const float* m, std::int64_t stride, int rows, int cols, int r, int c) {
  float4 v = make_float4(0, 0, 0, 0);
  if (r >= rows) return v;
  const float* p = m + r * stride + c;
  if (c + 3 < cols && reinterpret_cast<std::uintptr_t>(p) % 16 == 0) {
    return *reinterpret_cast<const float4*>(p);
  }
  if (c < cols) v.x = p[0];
  if (c + 1 < cols) v.y = p[1];
  if (c + 2 < cols) v.z = p[2];
  if (c + 3 < cols) v.w = p[3];
  return v;
}

__global__ void kernel(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  extern __shared__ float4 tiles[];  // STEP rows of 16 of A, then of B
  float4* const b_tile = tiles + STEP * 16;
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int row = blockIdx.y * 64, col = blockIdx.x * 64;
  float sum[16] = {};
  for (int k = 0; k < a.rows; k += STEP) {
    for (int i = t; i < STEP * 16; i += 256) {
      tiles[i] = four(a.data, a.stride, a.rows, a.cols, k + i / 16, row + i % 16 * 4);
      b_tile[i] = four(b.data, b.stride, b.rows, b.cols, k + i / 16, col + i % 16 * 4);
    }
    __syncthreads();
    for (int i = 0; i < STEP; ++i) {
      const float4 x = tiles[i * 16 + ty], y = b_tile[i * 16 + tx];
      const float xs[4] = {x.x, x.y, x.z, x.w}, ys[4] = {y.x, y.y, y.z, y.w};
      for (int e = 0; e < 16; ++e) sum[e] += xs[e / 4] * ys[e % 4];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    const int r = row + ty * 4 + i, first = col + tx * 4;
    if (r >= c.rows) return;
    float* to = &c(r, first);
    if (first + 3 < c.cols && reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
      *reinterpret_cast<float4*>(to) =
          make_float4(sum[4 * i], sum[4 * i + 1], sum[4 * i + 2], sum[4 * i + 3]);
    } else {
      for (int j = 0; j < 4 && first + j < c.cols; ++j) to[j] = sum[4 * i + j];
    }
  }
}

}  // namespace

void matmul_tile_transposed_a(MatrixView<const float> a, MatrixView<const float> b,
                              MatrixView<float> c, cudaStream_t stream) {
  const MatrixView<const float> turned{a.data, a.cols, a.rows, a.rows};
  require_matmul_shapes(turned, b, c);
  const dim3 grid((c.cols + 63) / 64, (c.rows + 63) / 64);
  kernel<<<grid, 256, 2 * STEP * 16 * sizeof(float4), stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch07
