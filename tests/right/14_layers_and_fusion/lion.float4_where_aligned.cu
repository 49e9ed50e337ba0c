// Four neighbours a thread, in one load where all three vectors are aligned.
#include "14_layers_and_fusion/lion.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 64;

struct Step {
  LionOptions o;
  __device__ void operator()(float& p, float& m, float g) const {
    const float c = o.beta1 * m + (1.0f - o.beta1) * g;
    const float sign = c > 0.0f ? 1.0f : c < 0.0f ? -1.0f : 0.0f;
    p -= o.learning_rate * (sign + o.weight_decay * p);
    m = o.beta2 * m + (1.0f - o.beta2) * g;
  }
};

__device__ bool is_aligned(const float* p) {
  return reinterpret_cast<std::uintptr_t>(p) % sizeof(float4) == 0;
}

__global__ void lion_kernel(float* parameters, float* m, const float* gradient, LionOptions o,
                            std::size_t size) {
  const Step step{o};
  const std::size_t t = std::size_t{blockIdx.x} * THREADS + threadIdx.x;
  if (!is_aligned(parameters) || !is_aligned(m) || !is_aligned(gradient)) {
    const std::size_t block = std::size_t{blockIdx.x} * THREADS * 4;
    for (std::size_t i = block + threadIdx.x; i < block + THREADS * 4 && i < size; i += THREADS) {
      step(parameters[i], m[i], gradient[i]);
    }
    return;
  }
  if (4 * t + 4 <= size) {
    float4 p = reinterpret_cast<float4*>(parameters)[t], v = reinterpret_cast<float4*>(m)[t];
    const float4 g = reinterpret_cast<const float4*>(gradient)[t];
    step(p.x, v.x, g.x);
    step(p.y, v.y, g.y);
    step(p.z, v.z, g.z);
    step(p.w, v.w, g.w);
    reinterpret_cast<float4*>(parameters)[t] = p;
    reinterpret_cast<float4*>(m)[t] = v;
  } else {
    for (std::size_t i = 4 * t; i < size; ++i) step(parameters[i], m[i], gradient[i]);
  }
}

unsigned blocks_for(std::size_t size) {
  return static_cast<unsigned>((size + 4 * THREADS - 1) / (4 * THREADS));
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
