#include "14_layers_and_fusion/sgd_momentum.hpp"

#include "14_layers_and_fusion/elementwise.cuh"
#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

// Each thread updates WIDTH neighbours; the last thread may have fewer.
template <int WIDTH>
__global__ void __launch_bounds__(ELEMENT_THREADS)
    sgd_momentum_kernel(float* parameters, float* velocity, const float* gradient,
                        SgdOptions options, const ch12::LossScale* scale, std::size_t size) {
  const std::size_t first = WIDTH * (std::size_t{blockIdx.x} * ELEMENT_THREADS + threadIdx.x);
  if (first >= size || overflowed(scale)) return;
  const float factor = unscaling(scale);
  //! [update]
  const auto update = [&](float& p, float& v, float gradient_here) {
    const float g = gradient_here * factor + options.weight_decay * p;
    v = options.momentum * v + g;
    p -= options.learning_rate * v;
  };
  //! [update]
  if (first + WIDTH <= size) {
    auto p = load_pack<WIDTH>(parameters + first), v = load_pack<WIDTH>(velocity + first);
    const auto g = load_pack<WIDTH>(gradient + first);
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) update(p.x[k], v.x[k], g.x[k]);
    store_pack(velocity + first, v);
    store_pack(parameters + first, p);
  } else {
#pragma unroll 1
    for (std::size_t i = first; i < size; ++i) update(parameters[i], velocity[i], gradient[i]);
  }
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
  const bool fours = are_aligned(16, parameters.data(), velocity.data(), gradient.data());
  const auto kernel = fours ? sgd_momentum_kernel<4> : sgd_momentum_kernel<1>;
  const std::size_t threads = ceil_div(parameters.size(), std::size_t{fours ? 4u : 1u});
  kernel<<<element_blocks(threads), ELEMENT_THREADS, 0, stream>>>(
      parameters.data(), velocity.data(), gradient.data(), options, scale, parameters.size());
  check_launch();
}

}  // namespace tut::ch14
