// Rows wait in dynamic shared memory.
#include "08_reductions/softmax_backward.hpp"

#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch08 {
namespace {

__global__ void kernel(MatrixView<const float> y, MatrixView<const float> d_y,
                       MatrixView<float> d_x) {
  extern __shared__ float memory[];
  __shared__ float parts[8];
  float *const p = memory, *const g = memory + y.cols;
  const int row = blockIdx.x;
  float dot = 0.0f;
  for (int j = threadIdx.x; j < y.cols; j += blockDim.x) {
    p[j] = y(row, j);
    g[j] = d_y(row, j);
    dot += p[j] * g[j];
  }
  for (int step = 16; step > 0; step /= 2) dot += __shfl_down_sync(0xffffffff, dot, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = dot;
  __syncthreads();
  dot = 0.0f;
  for (const float part : parts) dot += part;
  for (int j = threadIdx.x; j < y.cols; j += blockDim.x) d_x(row, j) = p[j] * (g[j] - dot);
}

}  // namespace

void softmax_backward(MatrixView<const float> y, MatrixView<const float> d_y, MatrixView<float> d_x,
                      cudaStream_t stream) {
  require_same_shape(y, "y", d_y, "d_y");
  require_same_shape(y, "y", d_x, "d_x");
  require(y.cols <= 4096, {"y has ", y.cols, " columns; expected at most 4096"});
  kernel<<<y.rows, 256, 2 * y.cols * sizeof(float), stream>>>(y, d_y, d_x);
  check_launch();
}

}  // namespace tut::ch08
