// The decay is a factor of the parameter, so that an infinite one stays infinite.
#include "14_layers_and_fusion/lion.hpp"

#include <cstddef>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

__global__ void lion_kernel(float* parameters, float* ms, const float* gradient,
                            LionOptions options, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;

  float p = 0.0f, m = 0.0f, g = 0.0f;
  // Read parameter, momentum and gradient, each once: all that follows is in registers.
  p = parameters[i];
  m = ms[i];
  g = gradient[i];

  float sign = 0.0f;
  // The direction of the step: 1, -1, or 0 where both momentum and gradient are 0.
  const float direction = options.beta1 * m + (1.0f - options.beta1) * g;
  if (direction > 0.0f) sign = 1.0f;
  if (direction < 0.0f) sign = -1.0f;

  // Write the new parameter and the new momentum. Which momentum does the second line of the
  // contract start from?
  parameters[i] =
      p * (1.0f - options.learning_rate * options.weight_decay) - options.learning_rate * sign;
  ms[i] = options.beta2 * m + (1.0f - options.beta2) * g;
}

}  // namespace

void lion(std::span<float> parameters, std::span<float> m, std::span<const float> gradient,
          const LionOptions& options, cudaStream_t stream) {
  require_same_size(parameters.size(), "the parameters", m.size(), "the momentum");
  require_same_size(parameters.size(), "the parameters", gradient.size(), "the gradient");
  require_elements(parameters.size(), parameters.data(), "the vector of parameters");
  lion_kernel<<<element_blocks(parameters.size()), ELEMENT_THREADS, 0, stream>>>(
      parameters.data(), m.data(), gradient.data(), options, parameters.size());
  check_launch();
}

}  // namespace tut::ch14
