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
  // TODO: Read parameter, momentum and gradient, each once: all that follows is in registers.

  float sign = 0.0f;
  // TODO: The direction of the step: 1, -1, or 0 where both momentum and gradient are 0.

  // TODO: Write the new parameter and the new momentum. Which momentum does the second line of the
  // contract start from?
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
