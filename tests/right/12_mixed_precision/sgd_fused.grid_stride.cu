// A loop over the grid; the state is read once a thread.
#include "12_mixed_precision/sgd_fused.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__global__ void step(float* weights, float* velocity, const half* gradient, half* copy,
                     const LossScale* state, float learning_rate, float momentum,
                     std::size_t size) {
  const float inverse = state->inverse;
  if (state->overflow != 0) return;
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += all) {
    const float v = velocity[i] * momentum + __half2float(gradient[i]) * inverse;
    const float w = weights[i] - learning_rate * v;
    velocity[i] = v;
    weights[i] = w;
    copy[i] = __float2half_rn(w);
  }
}

}  // namespace

void sgd_fused(std::span<float> weights, std::span<float> velocity, std::span<const half> gradient,
               std::span<half> copy, const LossScale* state, float learning_rate, float momentum,
               cudaStream_t stream) {
  const std::size_t size = weights.size();
  require(size > 0 && state != nullptr, "there are no weights, or there is no state");
  require_same_size(size, "the weights", velocity.size(), "the velocity");
  require_same_size(size, "the weights", gradient.size(), "the gradient");
  require_same_size(size, "the weights", copy.size(), "the copy");
  step<<<8, 128, 0, stream>>>(weights.data(), velocity.data(), gradient.data(), copy.data(), state,
                              learning_rate, momentum, size);
  check_launch();
}

}  // namespace tut::ch12
