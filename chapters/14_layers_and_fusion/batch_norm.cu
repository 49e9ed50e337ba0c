#include "14_layers_and_fusion/batch_norm.hpp"

#include "08_reductions/warp_reduce.cuh"
#include "14_layers_and_fusion/planes.cuh"
#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

// Each block finds the mean and the variance of one channel: first the mean, then the mean squared
// distance from it.
template <int WIDTH>
__global__ void __launch_bounds__(PLANE_THREADS)
    batch_norm_statistics_kernel(const float* in, BatchNormState state, BatchNormOptions options,
                                 Planes planes) {
  const int channel = blockIdx.x;
  const auto count = static_cast<float>(planes.channel_size());

  //! [statistics]
  float sum = 0.0f;
  for_each_of_channel<WIDTH>(planes, channel, [&](std::int64_t i) {
    const auto values = load_pack<WIDTH>(in + i);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) sum += values.x[k];
  });
  const float mean = ch08::block_reduce<PLANE_THREADS>(sum, ch08::Add()) / count;

  float squares = 0.0f;
  for_each_of_channel<WIDTH>(planes, channel, [&](std::int64_t i) {
    const auto values = load_pack<WIDTH>(in + i);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) squares += (values.x[k] - mean) * (values.x[k] - mean);
  });
  squares = ch08::block_reduce<PLANE_THREADS>(squares, ch08::Add());
  //! [statistics]

  if (threadIdx.x == 0) {
    const float keep = 1.0f - options.momentum;
    state.mean[channel] = mean;
    state.inverse_deviation[channel] = 1.0f / sqrtf(squares / count + options.epsilon);
    state.running_mean[channel] = keep * state.running_mean[channel] + options.momentum * mean;
    state.running_variance[channel] =
        keep * state.running_variance[channel] + options.momentum * (squares / (count - 1.0f));
  }
}

// Each warp normalises one plane. RUNNING: with the running statistics.
template <bool RUNNING, int WIDTH>
__global__ void __launch_bounds__(PLANE_THREADS)
    batch_norm_kernel(const float* in, const float* scale, const float* shift, BatchNormState state,
                      float* out, float epsilon, Planes planes) {
  const int plane = blockIdx.x * PLANE_WARPS + threadIdx.x / 32;
  if (plane >= planes.count()) return;
  const int channel = plane % planes.channels;
  const float mean = RUNNING ? state.running_mean[channel] : state.mean[channel];
  const float factor =
      scale[channel] * (RUNNING ? 1.0f / sqrtf(state.running_variance[channel] + epsilon)
                                : state.inverse_deviation[channel]);
  const float offset = shift[channel];
  for_each_of_plane<WIDTH>(planes, std::int64_t{plane} * planes.area, [&](std::int64_t i) {
    auto values = load_pack<WIDTH>(in + i);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) values.x[k] = factor * (values.x[k] - mean) + offset;
    store_pack(out + i, values);
  });
}

Planes require_batch_norm(TensorView<const float> in, const float* scale, const float* shift,
                          TensorView<const float> out) {
  require_same_tensor(in, "the input", out, "the output");
  require(scale != nullptr && shift != nullptr,
          "the scale or the shift has no data (a null pointer)");
  return {in.n, in.c, in.h * in.w};
}

}  // namespace

void batch_norm(TensorView<const float> in, const float* scale, const float* shift,
                const BatchNormState& state, TensorView<float> out, const BatchNormOptions& options,
                cudaStream_t stream) {
  const Planes planes = require_batch_norm(in, scale, shift, out);
  require(planes.channel_size() > 1,
          {"the input is ", shape_part(in), "; expected at least 2 values a channel"});
  const auto statistics =
      planes.fits(in.data) ? batch_norm_statistics_kernel<4> : batch_norm_statistics_kernel<1>;
  statistics<<<planes.channels, PLANE_THREADS, 0, stream>>>(in.data, state, options, planes);
  check_launch();
  const bool wide = planes.fits(in.data) && planes.fits(out.data);
  const auto normalise = wide ? batch_norm_kernel<false, 4> : batch_norm_kernel<false, 1>;
  normalise<<<planes.blocks(), PLANE_THREADS, 0, stream>>>(in.data, scale, shift, state, out.data,
                                                           options.epsilon, planes);
  check_launch();
}

void batch_norm_inference(TensorView<const float> in, const float* scale, const float* shift,
                          const BatchNormState& state, TensorView<float> out,
                          const BatchNormOptions& options, cudaStream_t stream) {
  const Planes planes = require_batch_norm(in, scale, shift, out);
  const bool wide = planes.fits(in.data) && planes.fits(out.data);
  const auto normalise = wide ? batch_norm_kernel<true, 4> : batch_norm_kernel<true, 1>;
  normalise<<<planes.blocks(), PLANE_THREADS, 0, stream>>>(in.data, scale, shift, state, out.data,
                                                           options.epsilon, planes);
  check_launch();
}

}  // namespace tut::ch14
