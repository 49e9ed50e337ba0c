#include "14_layers_and_fusion/batch_norm.hpp"

#include "14_layers_and_fusion/batch_norm_planes.hpp"
#include "tut/check.hpp"

namespace tut::ch14 {
namespace {

// A block finds mean and variance of one channel: the mean first, then the mean squared distance
// from it, each by a tree.
__global__ void batch_norm_statistics_kernel(const float* in, BatchNormState state,
                                             BatchNormOptions options, Planes planes) {
  __shared__ float sums[BatchNormBlock::SIZE];
  const int channel = blockIdx.x;
  const int t = threadIdx.y * BatchNormBlock::X + threadIdx.x;
  const auto count = static_cast<float>(planes.channel_size());

  float sum = 0.0f;
  for (int n = threadIdx.y; n < planes.images; n += BatchNormBlock::Y) {
    const float* plane = in + planes.first(n, channel);
    for (int i = threadIdx.x; i < planes.area; i += BatchNormBlock::X) sum += plane[i];
  }
  sums[t] = sum;
  __syncthreads();
  for (int step = BatchNormBlock::SIZE / 2; step > 0; step /= 2) {
    if (t < step) sums[t] += sums[t + step];
    __syncthreads();
  }
  const float mean = sums[0] / count;
  __syncthreads();  // nobody overwrites the sum before all have read it

  float squares = 0.0f;
  for (int n = threadIdx.y; n < planes.images; n += BatchNormBlock::Y) {
    const float* plane = in + planes.first(n, channel);
    for (int i = threadIdx.x; i < planes.area; i += BatchNormBlock::X) {
      const float distance = plane[i] - mean;
      squares += distance * distance;
    }
  }
  sums[t] = squares;
  __syncthreads();
  for (int step = BatchNormBlock::SIZE / 2; step > 0; step /= 2) {
    if (t < step) sums[t] += sums[t + step];
    __syncthreads();
  }

  if (t == 0) {
    const float keep = 1.0f - options.momentum;
    state.mean[channel] = mean;
    state.inverse_deviation[channel] = 1.0f / sqrtf(sums[0] / count + options.epsilon);
    state.running_mean[channel] = keep * state.running_mean[channel] + options.momentum * mean;
    state.running_variance[channel] =
        keep * state.running_variance[channel] + options.momentum * (sums[0] / (count - 1.0f));
  }
}

// A row of threads normalises one plane. RUNNING: by the running statistics.
template <bool RUNNING>
__global__ void batch_norm_kernel(const float* in, const float* scale, const float* shift,
                                  BatchNormState state, float* out, float epsilon, Planes planes) {
  const int plane = blockIdx.x * BatchNormBlock::Y + threadIdx.y;
  if (plane >= planes.count()) return;
  const int channel = plane % planes.channels;
  const float mean = RUNNING ? state.running_mean[channel] : state.mean[channel];
  const float factor =
      scale[channel] * (RUNNING ? 1.0f / sqrtf(state.running_variance[channel] + epsilon)
                                : state.inverse_deviation[channel]);
  const float offset = shift[channel];
  const std::int64_t first = std::int64_t{plane} * planes.area;
  for (int i = threadIdx.x; i < planes.area; i += BatchNormBlock::X) {
    out[first + i] = factor * (in[first + i] - mean) + offset;
  }
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
  const dim3 block(BatchNormBlock::X, BatchNormBlock::Y);
  batch_norm_statistics_kernel<<<planes.channels, block, 0, stream>>>(in.data, state, options,
                                                                      planes);
  check_launch();
  batch_norm_kernel<false><<<planes.blocks(), block, 0, stream>>>(
      in.data, scale, shift, state, out.data, options.epsilon, planes);
  check_launch();
}

void batch_norm_inference(TensorView<const float> in, const float* scale, const float* shift,
                          const BatchNormState& state, TensorView<float> out,
                          const BatchNormOptions& options, cudaStream_t stream) {
  const Planes planes = require_batch_norm(in, scale, shift, out);
  const dim3 block(BatchNormBlock::X, BatchNormBlock::Y);
  batch_norm_kernel<true><<<planes.blocks(), block, 0, stream>>>(in.data, scale, shift, state,
                                                                 out.data, options.epsilon, planes);
  check_launch();
}

}  // namespace tut::ch14
