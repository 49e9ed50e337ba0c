// fails: budget
// says: threads use memory
// A loop makes any grid right, so one warp looks like enough: it takes all steps, and cannot keep
// memory busy.
#include "14_layers_and_fusion/lion.hpp"

#include <cstddef>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"

namespace tut::ch14 {
namespace {

__global__ void lion_kernel(float* parameters, float* ms, const float* gradient,
                            LionOptions options, std::size_t size) {
  for (std::size_t i = threadIdx.x; i < size; i += blockDim.x) {
    const float p = parameters[i], m = ms[i], g = gradient[i];
    float sign = 0.0f;
    const float direction = options.beta1 * m + (1.0f - options.beta1) * g;
    if (direction > 0.0f) sign = 1.0f;
    if (direction < 0.0f) sign = -1.0f;
    parameters[i] = p - options.learning_rate * (sign + options.weight_decay * p);
    ms[i] = options.beta2 * m + (1.0f - options.beta2) * g;
  }
}

}  // namespace

void lion(std::span<float> parameters, std::span<float> m, std::span<const float> gradient,
          const LionOptions& options, cudaStream_t stream) {
  constexpr int THREADS = 32;
  require_same_size(parameters.size(), "the parameters", m.size(), "the momentum");
  require_same_size(parameters.size(), "the parameters", gradient.size(), "the gradient");
  require_elements(parameters.size(), parameters.data(), "the vector of parameters");
  lion_kernel<<<1, THREADS, 0, stream>>>(parameters.data(), m.data(), gradient.data(), options,
                                         parameters.size());
  check_launch();
}

}  // namespace tut::ch14
