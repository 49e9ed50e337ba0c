#include "14_layers_and_fusion/bias.hpp"

#include <cstdint>

#include "08_reductions/warp_reduce.cuh"
#include "14_layers_and_fusion/planes.cuh"
#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int BX = 32, BY = 8;

//! [forward]
// Each warp adds one bias to one plane, WIDTH elements an access.
template <int WIDTH, class T>
__global__ void __launch_bounds__(PLANE_THREADS)
    add_bias_planes_kernel(const T* in, const float* bias, T* out, Planes planes) {
  const int plane = blockIdx.x * PLANE_WARPS + threadIdx.x / 32;
  if (plane >= planes.count()) return;
  const float b = bias[plane % planes.channels];
  for_each_of_plane<WIDTH>(planes, std::int64_t{plane} * planes.area, [&](std::int64_t i) {
    auto values = load_pack<WIDTH>(in + i);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      values.x[k] = static_cast<T>(static_cast<float>(values.x[k]) + b);
    }
    store_pack(out + i, values);
  });
}
//! [forward]

template <class T>
__global__ void add_bias_rows_kernel(const T* in, const float* bias, T* out, int rows, int cols) {
  const int col = blockIdx.y * BX + threadIdx.x;
  const int row = blockIdx.x * BY + threadIdx.y;
  if (row >= rows || col >= cols) return;
  const std::int64_t i = std::int64_t{row} * cols + col;
  out[i] = static_cast<T>(static_cast<float>(in[i]) + bias[col]);
}

//! [backward]
// Each block adds up the planes of one channel: first every thread its share, then all threads
// together by shuffles.
template <int WIDTH, class T>
__global__ void __launch_bounds__(PLANE_THREADS)
    bias_planes_backward_kernel(const T* d_out, float* d_bias, Planes planes) {
  float sum = 0.0f;
  for_each_of_channel<WIDTH>(planes, blockIdx.x, [&](std::int64_t i) {
    const auto values = load_pack<WIDTH>(d_out + i);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) sum += static_cast<float>(values.x[k]);
  });
  sum = ch08::block_reduce<PLANE_THREADS>(sum, ch08::Add());
  if (threadIdx.x == 0) d_bias[blockIdx.x] = sum;
}
//! [backward]

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
  if (area > 1) {
    const Planes planes{in.n, in.c, area};
    const bool wide = planes.fits(in.data) && planes.fits(out.data);
    const auto kernel =
        wide ? add_bias_planes_kernel<16 / sizeof(T), T> : add_bias_planes_kernel<1, T>;
    kernel<<<planes.blocks(), PLANE_THREADS, 0, stream>>>(in.data, bias, out.data, planes);
  } else {
    const dim3 grid(ceil_div(in.n, BY), ceil_div(in.c, BX));
    add_bias_rows_kernel<<<grid, dim3(BX, BY), 0, stream>>>(in.data, bias, out.data, in.n, in.c);
  }
  check_launch();
}

template <class T>
void launch_backward(TensorView<const T> d_out, float* d_bias, cudaStream_t stream) {
  require_same_tensor(d_out, "the gradient", d_out, "the gradient");
  require(d_bias != nullptr, "the bias's gradient has no data (a null pointer)");
  const int area = d_out.h * d_out.w;
  if (area > 1) {
    const Planes planes{d_out.n, d_out.c, area};
    const auto kernel = planes.fits(d_out.data) ? bias_planes_backward_kernel<16 / sizeof(T), T>
                                                : bias_planes_backward_kernel<1, T>;
    kernel<<<d_out.c, PLANE_THREADS, 0, stream>>>(d_out.data, d_bias, planes);
  } else {
    bias_rows_backward_kernel<<<ceil_div(d_out.c, BX), dim3(BX, BY), 0, stream>>>(
        d_out.data, d_bias, d_out.n, d_out.c);
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
