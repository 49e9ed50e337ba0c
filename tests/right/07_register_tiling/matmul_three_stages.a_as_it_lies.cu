// Rows of A stay rows in shared memory, so that they are copied 16 bytes at a time.
#include "07_register_tiling/matmul_three_stages.hpp"

#include "07_register_tiling/access.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

__global__ void kernel(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  __shared__ alignas(16) float as[3][64][16], bs[3][16][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int steps = (a.cols + 15) / 16;
  const auto fetch = [&](int step) {
    if (step < steps) {
      const int k0 = step * 16;
      copy4(&as[step % 3][t / 4][t % 4 * 4], a, row0 + t / 4, k0 + t % 4 * 4,
            is_float4_accessible(a));
      copy4(&bs[step % 3][t / 16][t % 16 * 4], b, k0 + t / 16, col0 + t % 16 * 4,
            is_float4_accessible(b));
    }
    __pipeline_commit();
  };
  fetch(0);
  fetch(1);
  float sums[4][4] = {};  // rows ty + 16 i
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(1);
    __syncthreads();
    fetch(step + 2);
    for (int k = 0; k < 16; ++k) {
      float right[4];
      read4(&bs[step % 3][k][4 * tx], right);
      for (int i = 0; i < 4; ++i) {
        const float left = as[step % 3][ty + 16 * i][k];
        for (int j = 0; j < 4; ++j) sums[i][j] += left * right[j];
      }
    }
  }
  for (int i = 0; i < 4; ++i) {
    store4(c, row0 + ty + 16 * i, col0 + 4 * tx, as_float4(sums[i]), is_float4_accessible(c));
  }
}

}  // namespace

void matmul_three_stages(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  const dim3 grid((c.cols + 63) / 64, (c.rows + 63) / 64);
  kernel<<<grid, 256, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch07
