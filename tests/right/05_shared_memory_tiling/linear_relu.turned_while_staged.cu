// The tile of W is turned when it is written, so the product walks along its rows.
#include "05_shared_memory_tiling/linear_relu.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch05 {
namespace {

__global__ void linear_kernel(MatrixView<const float> x, MatrixView<const float> w,
                              const float* bias, MatrixView<float> y) {
  __shared__ float x_tile[32][32], w_tile[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 32 + ty, col = blockIdx.x * 32 + tx;
  const int w_row = blockIdx.x * 32 + ty;
  float sum = 0.0f;
  for (int k = 0; k < x.cols; k += 32) {
    x_tile[ty][tx] = row < x.rows && k + tx < x.cols ? x(row, k + tx) : 0.0f;
    w_tile[tx][ty] = w_row < w.rows && k + tx < w.cols ? w(w_row, k + tx) : 0.0f;
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += x_tile[ty][i] * w_tile[i][tx];
    __syncthreads();
  }
  if (row >= y.rows || col >= y.cols) return;
  const float value = sum + bias[col];
  y(row, col) = value < 0.0f ? 0.0f : value;
}

}  // namespace

void linear_relu(MatrixView<const float> x, MatrixView<const float> w, const float* bias,
                 MatrixView<float> y, cudaStream_t stream) {
  require(x.cols == w.cols && y.rows == x.rows && y.cols == w.rows, "the shapes do not fit");
  const dim3 grid((y.cols + 31) / 32, (y.rows + 31) / 32);
  linear_kernel<<<grid, dim3(32, 32), 0, stream>>>(x, w, bias, y);
  check_launch();
}

}  // namespace tut::ch05
