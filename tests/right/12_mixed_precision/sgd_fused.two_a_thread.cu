// Two weights a thread, a block apart; the state comes by a shuffle.
#include "12_mixed_precision/sgd_fused.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__global__ void step(float* weights, float* velocity, const half* gradient, half* copy,
                     const LossScale* state, float learning_rate, float momentum,
                     std::size_t size) {
  float inverse = threadIdx.x % 32 == 0 ? state->inverse : 0.0f;
  int overflow = threadIdx.x % 32 == 0 ? state->overflow : 0;
  inverse = __shfl_sync(0xFFFFFFFFu, inverse, 0);
  overflow = __shfl_sync(0xFFFFFFFFu, overflow, 0);
  if (overflow != 0) return;
  const std::size_t first = std::size_t{blockIdx.x} * 2 * blockDim.x + threadIdx.x;
  for (std::size_t i = first; i < size && i <= first + blockDim.x; i += blockDim.x) {
    const float g = __half2float(gradient[i]) * inverse;
    const float v = momentum * velocity[i] + g, w = weights[i] - learning_rate * v;
    copy[i] = __float2half_rn(w);
    weights[i] = w;
    velocity[i] = v;
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
  step<<<static_cast<unsigned>(ceil_div(size, std::size_t{256})), 128, 0, stream>>>(
      weights.data(), velocity.data(), gradient.data(), copy.data(), state, learning_rate, momentum,
      size);
  check_launch();
}

}  // namespace tut::ch12
