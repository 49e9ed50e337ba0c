// Four elements a thread, a block's width apart, all loaded before any is computed.
#include "14_layers_and_fusion/lion.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 256, EACH = 4;

__global__ void lion_kernel(float* parameters, float* m, const float* gradient, LionOptions o,
                            std::size_t size) {
  float p[EACH] = {}, v[EACH] = {}, g[EACH] = {};
  const std::size_t first = std::size_t{blockIdx.x} * THREADS * EACH + threadIdx.x;
  for (int k = 0; k < EACH; ++k) {
    const std::size_t i = first + std::size_t{THREADS} * k;
    if (i >= size) break;
    p[k] = parameters[i];
    v[k] = m[i];
    g[k] = gradient[i];
  }
  for (int k = 0; k < EACH; ++k) {
    const std::size_t i = first + std::size_t{THREADS} * k;
    if (i >= size) break;
    const float direction = o.beta1 * v[k] + (1.0f - o.beta1) * g[k];
    const float sign = direction == 0.0f ? 0.0f : copysignf(1.0f, direction);
    p[k] -= o.learning_rate * o.weight_decay * p[k];
    parameters[i] = p[k] - o.learning_rate * sign;
    m[i] = o.beta2 * v[k] + (1.0f - o.beta2) * g[k];
  }
}

unsigned blocks_for(std::size_t size) { return static_cast<unsigned>((size + 1023) / 1024); }

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
