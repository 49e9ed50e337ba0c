#include "14_layers_and_fusion/bias.hpp"

#include <cstdint>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int BX = 32, BY = 8;

// A row of threads adds one bias to one plane.
template <class T>
__global__ void add_bias_planes_kernel(const T* in, const float* bias, T* out, int planes,
                                       int channels, int area) {
  const int plane = blockIdx.x * BY + threadIdx.y;
  if (plane >= planes) return;
  const float b = bias[plane % channels];
  const std::int64_t first = std::int64_t{plane} * area;
  for (int i = threadIdx.x; i < area; i += BX) {
    out[first + i] = static_cast<T>(static_cast<float>(in[first + i]) + b);
  }
}

template <class T>
__global__ void add_bias_rows_kernel(const T* in, const float* bias, T* out, int rows, int cols) {
  const int col = blockIdx.y * BX + threadIdx.x;
  const int row = blockIdx.x * BY + threadIdx.y;
  if (row >= rows || col >= cols) return;
  const std::int64_t i = std::int64_t{row} * cols + col;
  out[i] = static_cast<T>(static_cast<float>(in[i]) + bias[col]);
}

// A block adds up the planes of one channel: each thread its share of the images, then all by a
// tree.
template <class T>
__global__ void bias_planes_backward_kernel(const T* d_out, float* d_bias, int images, int channels,
                                            int area) {
  __shared__ float sums[BX * BY];
  const int channel = blockIdx.x;
  const int t = threadIdx.y * BX + threadIdx.x;
  float sum = 0.0f;
  for (int n = threadIdx.y; n < images; n += BY) {
    const T* plane = d_out + (std::int64_t{n} * channels + channel) * area;
    for (int i = threadIdx.x; i < area; i += BX) sum += static_cast<float>(plane[i]);
  }
  sums[t] = sum;
  __syncthreads();
  for (int step = BX * BY / 2; step > 0; step /= 2) {
    if (t < step) sums[t] += sums[t + step];
    __syncthreads();
  }
  if (t == 0) d_bias[channel] = sums[0];
}

// A block adds up 32 columns: each thread its share of the rows of one, then the first row of
// threads all shares in order.
template <class T>
__global__ void bias_rows_backward_kernel(const T* d_out, float* d_bias, int rows, int cols) {
  __shared__ float sums[BY][BX];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * BX + tx;
  float sum = 0.0f;
  if (col < cols) {
    for (int n = ty; n < rows; n += BY) {
      sum += static_cast<float>(d_out[std::int64_t{n} * cols + col]);
    }
  }
  sums[ty][tx] = sum;
  __syncthreads();
  if (ty == 0 && col < cols) {
    float total = 0.0f;
    for (int share = 0; share < BY; ++share) total += sums[share][tx];
    d_bias[col] = total;
  }
}

template <class T>
void launch(TensorView<const T> in, const float* bias, TensorView<T> out, cudaStream_t stream) {
  require_same_tensor(in, "the input", out, "the output");
  require(bias != nullptr, "the bias has no data (a null pointer)");
  const int area = in.h * in.w;
  const dim3 block(BX, BY);
  if (area > 1) {
    const int planes = in.n * in.c;
    add_bias_planes_kernel<<<ceil_div(planes, BY), block, 0, stream>>>(in.data, bias, out.data,
                                                                       planes, in.c, area);
  } else {
    const dim3 grid(ceil_div(in.n, BY), ceil_div(in.c, BX));
    add_bias_rows_kernel<<<grid, block, 0, stream>>>(in.data, bias, out.data, in.n, in.c);
  }
  check_launch();
}

template <class T>
void launch_backward(TensorView<const T> d_out, float* d_bias, cudaStream_t stream) {
  require_same_tensor(d_out, "the gradient", d_out, "the gradient");
  require(d_bias != nullptr, "the bias's gradient has no data (a null pointer)");
  const int area = d_out.h * d_out.w;
  const dim3 block(BX, BY);
  if (area > 1) {
    bias_planes_backward_kernel<<<d_out.c, block, 0, stream>>>(d_out.data, d_bias, d_out.n, d_out.c,
                                                               area);
  } else {
    bias_rows_backward_kernel<<<ceil_div(d_out.c, BX), block, 0, stream>>>(d_out.data, d_bias,
                                                                           d_out.n, d_out.c);
  }
  check_launch();
}

}  // namespace

void add_bias(TensorView<const float> in, const float* bias, TensorView<float> out,
              cudaStream_t stream) {
  launch(in, bias, out, stream);
}
void add_bias(TensorView<const __half> in, const float* bias, TensorView<__half> out,
              cudaStream_t stream) {
  launch(in, bias, out, stream);
}
void add_bias(TensorView<const __nv_bfloat16> in, const float* bias, TensorView<__nv_bfloat16> out,
              cudaStream_t stream) {
  launch(in, bias, out, stream);
}

void bias_backward(TensorView<const float> d_out, float* d_bias, cudaStream_t stream) {
  launch_backward(d_out, d_bias, stream);
}
void bias_backward(TensorView<const __half> d_out, float* d_bias, cudaStream_t stream) {
  launch_backward(d_out, d_bias, stream);
}
void bias_backward(TensorView<const __nv_bfloat16> d_out, float* d_bias, cudaStream_t stream) {
  launch_backward(d_out, d_bias, stream);
}

}  // namespace tut::ch14
