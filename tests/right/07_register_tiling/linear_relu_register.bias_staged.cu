// The block's bias goes through shared memory; threads in two dimensions; rows apart in a thread.
#include "07_register_tiling/linear_relu_register.hpp"

#include "07_register_tiling/access.hpp"
#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch07 {
namespace {

__global__ void kernel(MatrixView<const float> x, MatrixView<const float> w, const float* bias,
                       MatrixView<float> y) {
  __shared__ float xs[16][64 + 4], ws[16][64 + 4], biases[64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  if (t < 64) biases[t] = col0 + t < y.cols ? bias[col0 + t] : 0.0f;
  float sums[4][4] = {};  // rows ty + 16 i, columns tx + 16 j
  for (int k0 = 0; k0 < x.cols; k0 += 16) {
    for (int half = 0; half < 2; ++half) {
      // 8 neighbours of each of 4 rows a warp.
      for (int i = t; i < 512; i += 256) {
        const int row = i / 8, k = half * 8 + i % 8;
        xs[k][row] = element(x, row0 + row, k0 + k);
        ws[k][row] = element(w, col0 + row, k0 + k);
      }
    }
    __syncthreads();
    for (int k = 0; k < 16; ++k) {
      for (int i = 0; i < 4; ++i) {
        const float left = xs[k][ty + 16 * i];
        for (int j = 0; j < 4; ++j) sums[i][j] += left * ws[k][tx + 16 * j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    const int row = row0 + ty + 16 * i;
    for (int j = 0; j < 4; ++j) {
      const int col = col0 + tx + 16 * j;
      const float value = sums[i][j] + biases[tx + 16 * j];
      if (row < y.rows && col < y.cols) y(row, col) = value < 0.0f ? 0.0f : value;
    }
  }
}

}  // namespace

void linear_relu_register(MatrixView<const float> x, MatrixView<const float> w, const float* bias,
                          MatrixView<float> y, cudaStream_t stream) {
  require_matmul_shapes(x, MatrixView<const float>{w.data, w.cols, w.rows, w.rows}, y);
  const dim3 block(16, 16), grid((y.cols + 63) / 64, (y.rows + 63) / 64);
  kernel<<<grid, block, 0, stream>>>(x, w, bias, y);
  check_launch();
}

}  // namespace tut::ch07
