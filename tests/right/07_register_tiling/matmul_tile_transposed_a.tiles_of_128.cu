// Tiles of 128 columns, 4 x 8 elements a thread: fewer bytes than the contract's Cost.
#include "07_register_tiling/matmul_tile_transposed_a.hpp"

#include "07_register_tiling/access.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

__global__ void kernel(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  __shared__ float4 as[8][16], bs[8][32];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int row = blockIdx.y * 64, col = blockIdx.x * 128;
  float sums[4][8] = {};
  for (int k = 0; k < a.rows; k += 8) {
    if (t < 128)
      as[t / 16][t % 16] = load4(a, k + t / 16, row + t % 16 * 4, is_float4_accessible(a));
    bs[t / 32][t % 32] = load4(b, k + t / 32, col + t % 32 * 4, is_float4_accessible(b));
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      const float4 l = as[i][ty], r = bs[i][tx], s = bs[i][tx + 16];
      const float left[4] = {l.x, l.y, l.z, l.w};
      const float right[8] = {r.x, r.y, r.z, r.w, s.x, s.y, s.z, s.w};
      for (int e = 0; e < 32; ++e) sums[e / 8][e % 8] += left[e / 8] * right[e % 8];
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) {
    for (int half = 0; half < 2; ++half) {
      store4(c, row + 4 * ty + j, col + 64 * half + 4 * tx, as_float4(&sums[j][4 * half]),
             is_float4_accessible(c));
    }
  }
}

}  // namespace

void matmul_tile_transposed_a(MatrixView<const float> a, MatrixView<const float> b,
                              MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(MatrixView<const float>{a.data, a.cols, a.rows, a.rows}, b, c);
  const dim3 grid((c.cols + 127) / 128, (c.rows + 63) / 64);
  kernel<<<grid, 256, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch07
