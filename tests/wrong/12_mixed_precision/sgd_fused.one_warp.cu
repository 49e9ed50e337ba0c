// fails: budget
// says: threads use memory
// One warp goes through all weights, so that the state is read once and not by every warp: a few
// bytes less, and one warp cannot keep memory busy.
#include "12_mixed_precision/sgd_fused.hpp"

#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch12 {
namespace {

__global__ void sgd_fused_kernel(float* weights, float* velocity, const half* gradient, half* copy,
                                 const LossScale* state, float learning_rate, float momentum,
                                 std::size_t size) {
  if (state->overflow != 0) return;
  const float inverse = state->inverse;
  for (std::size_t i = threadIdx.x; i < size; i += blockDim.x) {
    const float g = __half2float(gradient[i]) * inverse;
    const float v = momentum * velocity[i] + g;
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
  constexpr int THREADS = 32;
  require_same_size(weights.size(), "the weights", velocity.size(), "the velocity");
  require_same_size(weights.size(), "the weights", gradient.size(), "the gradient");
  require_same_size(weights.size(), "the weights", copy.size(), "the copy");
  require(!weights.empty(), "the weights have 0 elements; expected at least 1");
  require(state != nullptr, "the state of the loss scale is a null pointer");
  sgd_fused_kernel<<<1, THREADS, 0, stream>>>(weights.data(), velocity.data(), gradient.data(),
                                              copy.data(), state, learning_rate, momentum,
                                              weights.size());
  check_launch();
}

}  // namespace tut::ch12
