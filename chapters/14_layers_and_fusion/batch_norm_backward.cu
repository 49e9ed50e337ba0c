#include "08_reductions/warp_reduce.cuh"
#include "14_layers_and_fusion/batch_norm.hpp"
#include "14_layers_and_fusion/planes.cuh"
#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

// A block adds up d_out and d_out * x' over one channel, both at once.
template <int WIDTH>
__global__ void __launch_bounds__(PLANE_THREADS)
    batch_norm_sums_kernel(const float* in, const float* d_out, BatchNormState state,
                           float* d_scale, float* d_shift, Planes planes) {
  const int channel = blockIdx.x;
  const float mean = state.mean[channel];
  const float inverse = state.inverse_deviation[channel];
  ch08::Sums sums{0.0f, 0.0f};  // of d_shift, of d_scale
  for_each_of_channel<WIDTH>(planes, channel, [&](std::int64_t i) {
    const auto x = load_pack<WIDTH>(in + i), gradient = load_pack<WIDTH>(d_out + i);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      sums.first += gradient.x[k];
      sums.second += gradient.x[k] * ((x.x[k] - mean) * inverse);
    }
  });
  sums = ch08::block_reduce<PLANE_THREADS>(sums, ch08::AddSums());
  if (threadIdx.x == 0) {
    d_shift[channel] = sums.first;
    d_scale[channel] = sums.second;
  }
}

template <int WIDTH>
__global__ void __launch_bounds__(PLANE_THREADS)
    batch_norm_backward_kernel(const float* in, const float* d_out, const float* scale,
                               BatchNormState state, const float* d_scale, const float* d_shift,
                               float* d_in, Planes planes) {
  const int plane = blockIdx.x * PLANE_WARPS + threadIdx.x / 32;
  if (plane >= planes.count()) return;
  const int channel = plane % planes.channels;
  const float share = 1.0f / static_cast<float>(planes.channel_size());
  const float mean = state.mean[channel];
  const float inverse = state.inverse_deviation[channel];
  const float factor = scale[channel] * inverse;
  const float mean_gradient = d_shift[channel] * share;
  const float slope = d_scale[channel] * share * inverse;
  for_each_of_plane<WIDTH>(planes, std::int64_t{plane} * planes.area, [&](std::int64_t i) {
    const auto x = load_pack<WIDTH>(in + i);
    auto gradient = load_pack<WIDTH>(d_out + i);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) {
      gradient.x[k] = factor * (gradient.x[k] - mean_gradient - (x.x[k] - mean) * slope);
    }
    store_pack(d_in + i, gradient);
  });
}

}  // namespace

void batch_norm_backward(TensorView<const float> in, TensorView<const float> d_out,
                         const float* scale, const BatchNormState& state, TensorView<float> d_in,
                         float* d_scale, float* d_shift, cudaStream_t stream) {
  require_same_tensor(in, "the input", d_out, "the output's gradient");
  require_same_tensor(in, "the input", d_in, "the input's gradient");
  require(scale != nullptr && d_scale != nullptr && d_shift != nullptr,
          "the scale or a gradient has no data (a null pointer)");
  const Planes planes{in.n, in.c, in.h * in.w};
  const bool wide = planes.fits(in.data) && planes.fits(d_out.data) && planes.fits(d_in.data);
  const auto sums = wide ? batch_norm_sums_kernel<4> : batch_norm_sums_kernel<1>;
  sums<<<planes.channels, PLANE_THREADS, 0, stream>>>(in.data, d_out.data, state, d_scale, d_shift,
                                                      planes);
  check_launch();
  const auto backward = wide ? batch_norm_backward_kernel<4> : batch_norm_backward_kernel<1>;
  backward<<<planes.blocks(), PLANE_THREADS, 0, stream>>>(in.data, d_out.data, scale, state,
                                                          d_scale, d_shift, d_in.data, planes);
  check_launch();
}

}  // namespace tut::ch14
