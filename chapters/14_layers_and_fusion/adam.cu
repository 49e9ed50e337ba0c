#include "14_layers_and_fusion/adam.hpp"

#include <cmath>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"

namespace tut::ch14 {
namespace {

// 1 / (1 - beta^t), in double: close to t = 1 little is left of 1 - 0.999.
struct Corrections {
  float m, v;
};

__global__ void adam_kernel(float* parameters, float* ms, float* vs, const float* gradient,
                            AdamOptions options, Corrections correction,
                            const ch12::LossScale* scale, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size || overflowed(scale)) return;
  const float g = gradient[i] * unscaling(scale);
  const float m = options.beta1 * ms[i] + (1.0f - options.beta1) * g;
  const float v = options.beta2 * vs[i] + (1.0f - options.beta2) * g * g;
  ms[i] = m;
  vs[i] = v;
  const float p = parameters[i];
  const float decay = options.weight_decay * p;
  const float direction = m * correction.m / (sqrtf(v * correction.v) + options.epsilon);
  parameters[i] = p - options.learning_rate * (decay + direction);
}

float correction(float beta, int step) {
  return static_cast<float>(1.0 / (1.0 - std::pow(static_cast<double>(beta), step)));
}

}  // namespace

void adam(std::span<float> parameters, std::span<float> m, std::span<float> v,
          std::span<const float> gradient, int step, const AdamOptions& options,
          cudaStream_t stream) {
  adam(parameters, m, v, gradient, step, options, nullptr, stream);
}

void adam(std::span<float> parameters, std::span<float> m, std::span<float> v,
          std::span<const float> gradient, int step, const AdamOptions& options,
          const ch12::LossScale* scale, cudaStream_t stream) {
  require_same_size(parameters.size(), "the parameters", m.size(), "the mean gradient");
  require_same_size(parameters.size(), "the parameters", v.size(), "the mean square");
  require_same_size(parameters.size(), "the parameters", gradient.size(), "the gradient");
  require_elements(parameters.size(), parameters.data(), "the vector of parameters");
  require(step >= 1, {"the step is ", step, "; expected at least 1"});
  const Corrections corrections{correction(options.beta1, step), correction(options.beta2, step)};
  adam_kernel<<<element_blocks(parameters.size()), ELEMENT_THREADS, 0, stream>>>(
      parameters.data(), m.data(), v.data(), gradient.data(), options, corrections, scale,
      parameters.size());
  check_launch();
}

}  // namespace tut::ch14
