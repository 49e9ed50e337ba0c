// Pointers to the slices, dynamic shared memory, and a grid-stride loop that adds up.
#include "07_register_tiling/matmul_split_k.hpp"

#include <algorithm>
#include <cstdint>

#include "07_register_tiling/access.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

__global__ void slice_kernel(MatrixView<const float> a, MatrixView<const float> b, float* parts,
                             std::int64_t stride) {
  extern __shared__ float memory[];
  float* const as = memory;            // 16 rows of 66
  float* const bs = memory + 16 * 66;  // 16 rows of 64
  const int t = threadIdx.x, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int length = ((a.cols + 15) / 16 + 7) / 8 * 16;
  const int end = min(static_cast<int>(blockIdx.z + 1) * length, a.cols);
  float sums[4][4] = {};
  for (int k0 = blockIdx.z * length; k0 < end; k0 += 16) {
    for (int i = t; i < 1024; i += 256) {
      as[i % 16 * 66 + i / 16] = element(a, row0 + i / 16, k0 + i % 16);
      bs[i] = element(b, k0 + i / 64, col0 + i % 64);
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      float right[4];
      for (int j = 0; j < 4; ++j) right[j] = bs[k * 64 + t % 16 + 16 * j];
      for (int i = 0; i < 4; ++i) {
        const float left = as[k * 66 + t / 16 + 16 * i];
        for (int j = 0; j < 4; ++j) sums[i][j] += left * right[j];
      }
    }
    __syncthreads();
  }
  float* const part = parts + blockIdx.z * a.rows * stride;
  for (int i = 0; i < 4; ++i) {
    const int row = row0 + t / 16 + 16 * i;
    for (int j = 0; j < 4; ++j) {
      const int col = col0 + t % 16 + 16 * j;
      if (row < a.rows && col < b.cols) part[row * stride + col] = sums[i][j];
    }
  }
}

/// Each warp takes rows of C, far apart.
__global__ void add_kernel(MatrixView<const float> parts, MatrixView<float> c) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int warps = gridDim.x * blockDim.x / 32;
  for (int row = warp; row < c.rows; row += warps) {
    for (int col = threadIdx.x % 32; col < c.cols; col += 32) {
      float sum = 0.0f;
      for (int s = 0; s < split_k_slices; ++s) sum += parts(s * c.rows + row, col);
      c(row, col) = sum;
    }
  }
}

}  // namespace

void matmul_split_k(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                    MatrixView<float> parts, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require(
      parts.rows == split_k_slices * c.rows && parts.cols == c.cols,
      {"parts is ", shape_part(parts), "; expected ", split_k_slices, " times ", shape_part(c)});
  const dim3 grid((c.cols + 63) / 64, (c.rows + 63) / 64, split_k_slices);
  slice_kernel<<<grid, 256, 16 * (66 + 64) * sizeof(float), stream>>>(a, b, parts.data,
                                                                      parts.stride);
  check_launch();
  add_kernel<<<std::min((c.rows + 7) / 8, 64), 256, 0, stream>>>(parts, c);
  check_launch();
}

}  // namespace tut::ch07
