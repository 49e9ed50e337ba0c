// Some blocks go through the vectors.
#include "14_layers_and_fusion/lion.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 128;

__global__ void lion_kernel(float* parameters, float* m, const float* gradient, LionOptions o,
                            std::size_t size) {
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const float g = gradient[i], momentum = m[i];
    const float c = fmaf(o.beta1, momentum, (1.0f - o.beta1) * g);
    const float sign = static_cast<float>((c > 0.0f) - (c < 0.0f));
    const float p = parameters[i];
    parameters[i] = p * (1.0f - o.learning_rate * o.weight_decay) - o.learning_rate * sign;
    m[i] = fmaf(o.beta2, momentum, (1.0f - o.beta2) * g);
  }
}

unsigned blocks_for(std::size_t size) {
  return static_cast<unsigned>(std::min((size + THREADS - 1) / THREADS, std::size_t{132}));
}

}  // namespace

void lion(std::span<float> parameters, std::span<float> m, std::span<const float> gradient,
          const LionOptions& options, cudaStream_t stream) {
  const std::size_t size = parameters.size();
  if (size == 0 || m.size() != size || gradient.size() != size) {
    throw std::invalid_argument("the lengths do not fit");
  }
  lion_kernel<<<blocks_for(size), THREADS, 0, stream>>>(parameters.data(), m.data(),
                                                        gradient.data(), options, size);
  check_launch();
}

}  // namespace tut::ch14
