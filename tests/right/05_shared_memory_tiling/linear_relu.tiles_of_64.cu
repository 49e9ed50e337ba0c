// Tiles of 64 x 64 outputs, 4 x 4 of them a thread, which lie 16 apart: 256 threads a block.
#include "05_shared_memory_tiling/linear_relu.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch05 {
namespace {

constexpr int SIDE = 64, STEP = 32, EACH = 4, THREADS = 16;

__global__ void layer_kernel(MatrixView<const float> x, MatrixView<const float> w,
                             const float* bias, MatrixView<float> y) {
  __shared__ float x_tile[SIDE][STEP + 1], w_tile[SIDE][STEP + 1];
  const int tx = threadIdx.x, ty = threadIdx.y, thread = ty * THREADS + tx;
  const int row0 = blockIdx.y * SIDE, col0 = blockIdx.x * SIDE;
  float sums[EACH][EACH] = {};
  for (int k0 = 0; k0 < x.cols; k0 += STEP) {
    for (int i = thread; i < SIDE * STEP; i += THREADS * THREADS) {
      const int r = i / STEP, k = i % STEP;
      const bool inside = k0 + k < x.cols;
      x_tile[r][k] = inside && row0 + r < x.rows ? x(row0 + r, k0 + k) : 0.0f;
      w_tile[r][k] = inside && col0 + r < w.rows ? w(col0 + r, k0 + k) : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < STEP; ++k) {
      for (int i = 0; i < EACH; ++i) {
        for (int j = 0; j < EACH; ++j) {
          sums[i][j] += x_tile[ty + i * THREADS][k] * w_tile[tx + j * THREADS][k];
        }
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < EACH; ++j) {
    const int col = col0 + tx + j * THREADS;
    if (col >= y.cols) continue;
    const float b = bias[col];
    for (int i = 0; i < EACH; ++i) {
      const int row = row0 + ty + i * THREADS;
      if (row >= y.rows) continue;
      const float value = sums[i][j] + b;
      y(row, col) = value < 0.0f ? 0.0f : value;
    }
  }
}

}  // namespace

void linear_relu(MatrixView<const float> x, MatrixView<const float> w, const float* bias,
                 MatrixView<float> y, cudaStream_t stream) {
  require_matmul_shapes(x, MatrixView<const float>{w.data, w.cols, w.rows, w.rows}, y);
  const dim3 grid(ceil_div(y.cols, SIDE), ceil_div(y.rows, SIDE));
  layer_kernel<<<grid, dim3(THREADS, THREADS), 0, stream>>>(x, w, bias, y);
  check_launch();
}

}  // namespace tut::ch05
