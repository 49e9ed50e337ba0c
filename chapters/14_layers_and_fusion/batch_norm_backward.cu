#include "14_layers_and_fusion/batch_norm.hpp"
#include "14_layers_and_fusion/batch_norm_planes.hpp"
#include "tut/check.hpp"

namespace tut::ch14 {
namespace {

// A block adds up d_out and d_out * x' over one channel, both by one tree.
__global__ void batch_norm_sums_kernel(const float* in, const float* d_out, BatchNormState state,
                                       float* d_scale, float* d_shift, Planes planes) {
  __shared__ float shifts[BatchNormBlock::SIZE], scales[BatchNormBlock::SIZE];
  const int channel = blockIdx.x;
  const int t = threadIdx.y * BatchNormBlock::X + threadIdx.x;
  const float mean = state.mean[channel];
  const float inverse = state.inverse_deviation[channel];
  float shift = 0.0f, scale = 0.0f;
  for (int n = threadIdx.y; n < planes.images; n += BatchNormBlock::Y) {
    const std::int64_t first = planes.first(n, channel);
    for (int i = threadIdx.x; i < planes.area; i += BatchNormBlock::X) {
      const float gradient = d_out[first + i];
      shift += gradient;
      scale += gradient * ((in[first + i] - mean) * inverse);
    }
  }
  shifts[t] = shift;
  scales[t] = scale;
  __syncthreads();
  for (int step = BatchNormBlock::SIZE / 2; step > 0; step /= 2) {
    if (t < step) {
      shifts[t] += shifts[t + step];
      scales[t] += scales[t + step];
    }
    __syncthreads();
  }
  if (t == 0) {
    d_shift[channel] = shifts[0];
    d_scale[channel] = scales[0];
  }
}

__global__ void batch_norm_backward_kernel(const float* in, const float* d_out, const float* scale,
                                           BatchNormState state, const float* d_scale,
                                           const float* d_shift, float* d_in, Planes planes) {
  const int plane = blockIdx.x * BatchNormBlock::Y + threadIdx.y;
  if (plane >= planes.count()) return;
  const int channel = plane % planes.channels;
  const float share = 1.0f / static_cast<float>(planes.channel_size());
  const float mean = state.mean[channel];
  const float inverse = state.inverse_deviation[channel];
  const float factor = scale[channel] * inverse;
  const float mean_gradient = d_shift[channel] * share;
  const float slope = d_scale[channel] * share * inverse;
  const std::int64_t first = std::int64_t{plane} * planes.area;
  for (int i = threadIdx.x; i < planes.area; i += BatchNormBlock::X) {
    d_in[first + i] = factor * (d_out[first + i] - mean_gradient - (in[first + i] - mean) * slope);
  }
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
  const dim3 block(BatchNormBlock::X, BatchNormBlock::Y);
  batch_norm_sums_kernel<<<planes.channels, block, 0, stream>>>(in.data, d_out.data, state, d_scale,
                                                                d_shift, planes);
  check_launch();
  batch_norm_backward_kernel<<<planes.blocks(), block, 0, stream>>>(
      in.data, d_out.data, scale, state, d_scale, d_shift, d_in.data, planes);
  check_launch();
}

}  // namespace tut::ch14
