// Slices in the first dimension of the grid; the sums by flat indices.
#include "07_register_tiling/matmul_split_k.hpp"

#include "07_register_tiling/access.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

__global__ void slice_kernel(MatrixView<const float> a, MatrixView<const float> b,
                             MatrixView<float> parts, int length) {
  __shared__ float as[16][64 + 4], bs[16][64];
  const int slice = blockIdx.x % split_k_slices;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x / split_k_slices * 64;
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int begin = min(slice * length, a.cols), end = min(begin + length, a.cols);
  float sums[4][4] = {};  // rows ty + 16 i, columns tx + 16 j
  for (int k0 = begin; k0 < end; k0 += 16) {
    for (int i = t; i < 1024; i += 256) {
      const int k = i / 512 * 8 + i % 8, row = i / 8 % 64;
      as[k][row] = element(a, row0 + row, k0 + k);
      bs[i / 64][i % 64] = element(b, k0 + i / 64, col0 + i % 64);
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      float left[4], right[4];
      for (int i = 0; i < 4; ++i) left[i] = as[k][ty + i * 16], right[i] = bs[k][tx + i * 16];
      for (int e = 0; e < 16; ++e) sums[e / 4][e % 4] += left[e / 4] * right[e % 4];
    }
    __syncthreads();
  }
  for (int e = 0; e < 16; ++e) {
    const int row = row0 + ty + e / 4 * 16, col = col0 + tx + e % 4 * 16;
    if (row < a.rows && col < b.cols) parts(slice * a.rows + row, col) = sums[e / 4][e % 4];
  }
}

__global__ void add_kernel(MatrixView<const float> parts, MatrixView<float> c) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= std::int64_t{c.rows} * c.cols) return;
  const int row = static_cast<int>(i / c.cols), col = static_cast<int>(i % c.cols);
  float sum = parts(row, col);
  for (int s = 1; s < split_k_slices; ++s) sum += parts(s * c.rows + row, col);
  c(row, col) = sum;
}

}  // namespace

void matmul_split_k(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                    MatrixView<float> parts, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require(
      parts.rows == split_k_slices * c.rows && parts.cols == c.cols,
      {"parts is ", shape_part(parts), "; expected ", split_k_slices, " times ", shape_part(c)});
  const int length = ((a.cols + 15) / 16 + split_k_slices - 1) / split_k_slices * 16;
  const dim3 grid((c.cols + 63) / 64 * split_k_slices, (c.rows + 63) / 64);
  slice_kernel<<<grid, 256, 0, stream>>>(a, b, parts, length);
  check_launch();
  const std::int64_t elements = std::int64_t{c.rows} * c.cols;
  add_kernel<<<static_cast<unsigned>((elements + 255) / 256), 256, 0, stream>>>(parts, c);
  check_launch();
}

}  // namespace tut::ch07
