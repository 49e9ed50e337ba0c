// One loop fetches, from two steps before the first product on; stages are counted, not divided.
#include "07_register_tiling/matmul_three_stages.hpp"

#include "07_register_tiling/access.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

struct Tiles {
  float a[16][64 + 4], b[16][64];
};

__global__ void kernel(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  __shared__ alignas(16) Tiles tiles[3];
  const int t = threadIdx.x, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float sums[16] = {};
  int fill = 0, use = 1;  // stages
  for (int k0 = -32; k0 < a.cols; k0 += 16) {
    if (k0 >= 0) {
      __pipeline_wait_prior(1);
      __syncthreads();
    }
    const int later = k0 + 32;
    if (later < a.cols) {
      for (int i = t; i < 1024; i += 256) {
        const int k = i / 512 * 8 + i % 8, row = i / 8 % 64;
        copy1(&tiles[fill].a[k][row], a, row0 + row, later + k);
        copy1(&tiles[fill].b[i / 64][i % 64], b, later + i / 64, col0 + i % 64);
      }
    }
    __pipeline_commit();
    if (k0 >= 0) {
      for (int k = 0; k < 16; ++k) {
        float left[4], right[4];
        for (int i = 0; i < 4; ++i) {
          left[i] = tiles[use].a[k][t / 16 + i * 16];
          right[i] = tiles[use].b[k][t % 16 + i * 16];
        }
        for (int e = 0; e < 16; ++e) sums[e] += left[e / 4] * right[e % 4];
      }
    }
    fill = fill == 2 ? 0 : fill + 1;
    use = use == 2 ? 0 : use + 1;
  }
  for (int e = 0; e < 16; ++e) {
    const int row = row0 + t / 16 + e / 4 * 16, col = col0 + t % 16 + e % 4 * 16;
    if (row < c.rows && col < c.cols) c(row, col) = sums[e];
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
