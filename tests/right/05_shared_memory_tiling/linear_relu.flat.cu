// 1024 threads in one dimension; the sum starts with the bias, which is read before the loop.
#include "05_shared_memory_tiling/linear_relu.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch05 {
namespace {

__global__ void linear_kernel(MatrixView<const float> x, MatrixView<const float> w,
                              const float* bias, MatrixView<float> y) {
  __shared__ float x_tile[32 * 32];
  __shared__ float w_tile[32 * 33];
  const int s = threadIdx.x & 31, r = threadIdx.x >> 5;
  const int row = blockIdx.y * 32 + r, col = blockIdx.x * 32 + s;
  float sum = col < y.cols && row < y.rows ? bias[col] : 0.0f;
  for (int k = s; k < (x.cols + 31) / 32 * 32; k += 32) {
    const int output = blockIdx.x * 32 + r;
    x_tile[threadIdx.x] = row < x.rows && k < x.cols ? x(row, k) : 0.0f;
    w_tile[r * 33 + s] = output < w.rows && k < w.cols ? w(output, k) : 0.0f;
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += x_tile[r * 32 + i] * w_tile[s * 33 + i];
    __syncthreads();
  }
  if (row < y.rows && col < y.cols) y(row, col) = sum < 0.0f ? 0.0f : sum;
}

}  // namespace

void linear_relu(MatrixView<const float> x, MatrixView<const float> w, const float* bias,
                 MatrixView<float> y, cudaStream_t stream) {
  require(x.cols == w.cols && y.rows == x.rows && y.cols == w.rows, "the shapes do not fit");
  const dim3 grid((y.cols + 31) / 32, (y.rows + 31) / 32);
  linear_kernel<<<grid, 1024, 0, stream>>>(x, w, bias, y);
  check_launch();
}

}  // namespace tut::ch05
