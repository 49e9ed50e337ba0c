// The bias of a block is staged by one warp, and each thread takes it from there.
#include "05_shared_memory_tiling/linear_relu.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch05 {
namespace {

__global__ void linear_kernel(MatrixView<const float> x, MatrixView<const float> w,
                              const float* bias, MatrixView<float> y) {
  __shared__ float x_tile[32][32];
  __shared__ float w_tile[32][33];
  __shared__ float b_tile[32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int first = blockIdx.x * 32, row = blockIdx.y * 32 + ty;
  if (ty == 0) b_tile[tx] = first + tx < y.cols ? bias[first + tx] : 0.0f;
  float sum = 0.0f;
  for (int k = 0; k < x.cols; k += 32) {
    const bool inside = k + tx < x.cols;
    x_tile[ty][tx] = inside && row < x.rows ? x(row, k + tx) : 0.0f;
    w_tile[ty][tx] = inside && first + ty < w.rows ? w(first + ty, k + tx) : 0.0f;
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum = fmaf(x_tile[ty][i], w_tile[tx][i], sum);
    __syncthreads();
  }
  if (row < y.rows && first + tx < y.cols) {
    sum += b_tile[tx];
    y(row, first + tx) = isnan(sum) ? sum : fmaxf(sum, 0.0f);
  }
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
