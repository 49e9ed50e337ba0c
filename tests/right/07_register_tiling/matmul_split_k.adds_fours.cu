// Two pairs of tiles in turn; the sums are added four at a time, from registers.
#include "07_register_tiling/matmul_split_k.hpp"

#include "07_register_tiling/access.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

constexpr int STEP = 16;

__global__ void slice_kernel(MatrixView<const float> a, MatrixView<const float> b,
                             MatrixView<float> parts) {
  __shared__ alignas(16) float as[2][STEP][68], bs[2][STEP][64];
  const int t = threadIdx.y * 16 + threadIdx.x;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64, slice = blockIdx.z;
  const int steps = (a.cols + STEP - 1) / STEP, each = (steps + 7) / 8;
  float sums[16] = {};
  for (int step = slice * each; step < min((slice + 1) * each, steps); ++step) {
    const int k0 = step * STEP, now = step % 2;
    const int row = t / 2 % 64, k = t / 128 * 8 + t % 2 * 4;
    const float4 v = load4(a, row0 + row, k0 + k, is_float4_accessible(a));
    as[now][k][row] = v.x, as[now][k + 1][row] = v.y;
    as[now][k + 2][row] = v.z, as[now][k + 3][row] = v.w;
    *reinterpret_cast<float4*>(&bs[now][t / 16][t % 16 * 4]) =
        load4(b, k0 + t / 16, col0 + t % 16 * 4, is_float4_accessible(b));
    __syncthreads();
    for (int i = 0; i < STEP; ++i) {
      float left[4], right[4];
      read4(&as[now][i][t / 16 * 4], left);
      read4(&bs[now][i][t % 16 * 4], right);
      for (int e = 0; e < 16; ++e) sums[e] += left[e / 4] * right[e % 4];
    }
  }
  const MatrixView<float> mine = parts.block(slice * a.rows, 0, a.rows, parts.cols);
  for (int i = 0; i < 4; ++i) {
    store4(mine, row0 + t / 16 * 4 + i, col0 + t % 16 * 4, as_float4(&sums[4 * i]),
           is_float4_accessible(mine));
  }
}

__global__ void add_kernel(MatrixView<const float> parts, MatrixView<float> c) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (row >= c.rows || col >= c.cols) return;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int s = 0; s < split_k_slices; ++s) {
    const float4 v = load4(parts, s * c.rows + row, col, is_float4_accessible(parts));
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  store4(c, row, col, sum, is_float4_accessible(c));
}

}  // namespace

void matmul_split_k(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                    MatrixView<float> parts, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require(
      parts.rows == split_k_slices * c.rows && parts.cols == c.cols,
      {"parts is ", shape_part(parts), "; expected ", split_k_slices, " times ", shape_part(c)});
  const dim3 grid((c.cols + 63) / 64, (c.rows + 63) / 64, split_k_slices);
  slice_kernel<<<grid, dim3(16, 16), 0, stream>>>(a, b, parts);
  check_launch();
  const dim3 fours((c.cols + 127) / 128, (c.rows + 7) / 8);
  add_kernel<<<fours, dim3(32, 8), 0, stream>>>(parts, c);
  check_launch();
}

}  // namespace tut::ch07
