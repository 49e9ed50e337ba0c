// Sixteen values a thread in registers, one at a time from memory.
#include "08_reductions/softmax_backward.hpp"

#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch08 {
namespace {

__global__ void __launch_bounds__(256)
    kernel(MatrixView<const float> y, MatrixView<const float> d_y, MatrixView<float> d_x) {
  __shared__ float sums[256];
  const int row = blockIdx.x, t = threadIdx.x;
  float p[16], g[16], dot = 0.0f;
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const int j = i * 256 + t;
    p[i] = j < y.cols ? y(row, j) : 0.0f;
    g[i] = j < y.cols ? d_y(row, j) : 0.0f;
    dot += p[i] * g[i];
  }
  sums[t] = dot;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const int j = i * 256 + t;
    if (j < y.cols) d_x(row, j) = p[i] * (g[i] - sums[0]);
  }
}

}  // namespace

void softmax_backward(MatrixView<const float> y, MatrixView<const float> d_y, MatrixView<float> d_x,
                      cudaStream_t stream) {
  require_same_shape(y, "y", d_y, "d_y");
  require_same_shape(y, "y", d_x, "d_x");
  require(y.cols <= 4096, {"y has ", y.cols, " columns; expected at most 4096"});
  kernel<<<y.rows, 256, 0, stream>>>(y, d_y, d_x);
  check_launch();
}

}  // namespace tut::ch08
