// One thread of a block reads the state for all.
#include "12_mixed_precision/sgd_fused.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__global__ void step(float* weights, float* velocity, const half* gradient, half* copy,
                     const LossScale* state, float learning_rate, float momentum,
                     std::size_t size) {
  __shared__ float inverse;
  __shared__ bool moves;
  if (threadIdx.x == 0) {
    inverse = state->inverse;
    moves = state->overflow == 0;
  }
  __syncthreads();
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (!moves || i >= size) return;
  const float v = fmaf(momentum, velocity[i], __half2float(gradient[i]) * inverse);
  velocity[i] = v;
  const float w = fmaf(-learning_rate, v, weights[i]);
  weights[i] = w;
  copy[i] = __float2half(w);
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
  step<<<static_cast<unsigned>(ceil_div(size, std::size_t{512})), 512, 0, stream>>>(
      weights.data(), velocity.data(), gradient.data(), copy.data(), state, learning_rate, momentum,
      size);
  check_launch();
}

}  // namespace tut::ch12
