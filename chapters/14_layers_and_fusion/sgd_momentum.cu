#include "14_layers_and_fusion/sgd_momentum.hpp"

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"

namespace tut::ch14 {
namespace {

__global__ void sgd_momentum_kernel(float* parameters, float* velocity, const float* gradient,
                                    SgdOptions options, const ch12::LossScale* scale,
                                    std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size || overflowed(scale)) return;
  const float p = parameters[i];
  const float g = gradient[i] * unscaling(scale) + options.weight_decay * p;
  const float v = options.momentum * velocity[i] + g;
  velocity[i] = v;
  parameters[i] = p - options.learning_rate * v;
}

}  // namespace

void sgd_momentum(std::span<float> parameters, std::span<float> velocity,
                  std::span<const float> gradient, const SgdOptions& options, cudaStream_t stream) {
  sgd_momentum(parameters, velocity, gradient, options, nullptr, stream);
}

void sgd_momentum(std::span<float> parameters, std::span<float> velocity,
                  std::span<const float> gradient, const SgdOptions& options,
                  const ch12::LossScale* scale, cudaStream_t stream) {
  require_same_size(parameters.size(), "the parameters", velocity.size(), "the velocity");
  require_same_size(parameters.size(), "the parameters", gradient.size(), "the gradient");
  require_elements(parameters.size(), parameters.data(), "the vector of parameters");
  sgd_momentum_kernel<<<element_blocks(parameters.size()), ELEMENT_THREADS, 0, stream>>>(
      parameters.data(), velocity.data(), gradient.data(), options, scale, parameters.size());
  check_launch();
}

}  // namespace tut::ch14
