#include "12_mixed_precision/sgd_master_weights.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__global__ void sgd_master_weights_kernel(float* weights, float* velocity, const float* gradient,
                                          half* copy, const LossScale* state, float learning_rate,
                                          float momentum, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  //! [step]
  if (i >= size || state->overflow != 0) return;  // the same for all: no weight moves
  const float v = fmaf(momentum, velocity[i], gradient[i]);
  const float w = fmaf(-learning_rate, v, weights[i]);
  velocity[i] = v;
  weights[i] = w;
  if (copy != nullptr) copy[i] = __float2half_rn(w);
  //! [step]
}

}  // namespace

void sgd_master_weights(std::span<float> weights, std::span<float> velocity,
                        std::span<const float> gradient, std::span<half> copy,
                        const LossScale* state, float learning_rate, float momentum,
                        cudaStream_t stream) {
  constexpr std::size_t THREADS = 256;
  require_same_size(weights.size(), "the weights", velocity.size(), "the velocity");
  require_same_size(weights.size(), "the weights", gradient.size(), "the gradient");
  if (!copy.empty()) require_same_size(weights.size(), "the weights", copy.size(), "the copy");
  require(!weights.empty(), "the weights have 0 elements; expected at least 1");
  require(state != nullptr, "the state of the loss scale is a null pointer");
  const auto blocks = static_cast<unsigned>(ceil_div(weights.size(), THREADS));
  sgd_master_weights_kernel<<<blocks, THREADS, 0, stream>>>(
      weights.data(), velocity.data(), gradient.data(), copy.data(), state, learning_rate, momentum,
      weights.size());
  check_launch();
}

}  // namespace tut::ch12
