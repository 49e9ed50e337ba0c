#include "14_layers_and_fusion/adam.hpp"

#include <cmath>

#include "14_layers_and_fusion/elementwise.cuh"
#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

// 1 / (1 - beta^t), computed in double: for small t, 1 - 0.999^t is the difference of two numbers
// that are nearly equal.
struct Corrections {
  float m, v;
};

// Each thread updates WIDTH neighbours; the last thread may have fewer.
template <int WIDTH>
__global__ void __launch_bounds__(ELEMENT_THREADS)
    adam_kernel(float* parameters, float* ms, float* vs, const float* gradient, AdamOptions options,
                Corrections correction, const ch12::LossScale* scale, std::size_t size) {
  const std::size_t first = WIDTH * (std::size_t{blockIdx.x} * ELEMENT_THREADS + threadIdx.x);
  if (first >= size || overflowed(scale)) return;
  const float factor = unscaling(scale);
  //! [update]
  const auto update = [&](float& p, float& m, float& v, float gradient_here) {
    const float g = gradient_here * factor;
    m = options.beta1 * m + (1.0f - options.beta1) * g;
    v = options.beta2 * v + (1.0f - options.beta2) * g * g;
    const float decay = options.weight_decay * p;
    const float direction = m * correction.m / (sqrtf(v * correction.v) + options.epsilon);
    p -= options.learning_rate * (decay + direction);
  };
  //! [update]
  if (first + WIDTH <= size) {
    auto p = load_pack<WIDTH>(parameters + first), m = load_pack<WIDTH>(ms + first);
    auto v = load_pack<WIDTH>(vs + first);
    const auto g = load_pack<WIDTH>(gradient + first);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) update(p.x[k], m.x[k], v.x[k], g.x[k]);
    store_pack(ms + first, m);
    store_pack(vs + first, v);
    store_pack(parameters + first, p);
  } else {
#pragma unroll 1
    for (std::size_t i = first; i < size; ++i) update(parameters[i], ms[i], vs[i], gradient[i]);
  }
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
  const bool fours = are_aligned(16, parameters.data(), m.data(), v.data(), gradient.data());
  const auto kernel = fours ? adam_kernel<4> : adam_kernel<1>;
  const std::size_t threads = ceil_div(parameters.size(), std::size_t{fours ? 4u : 1u});
  kernel<<<element_blocks(threads), ELEMENT_THREADS, 0, stream>>>(
      parameters.data(), m.data(), v.data(), gradient.data(), options, corrections, scale,
      parameters.size());
  check_launch();
}

}  // namespace tut::ch14
