#include "12_mixed_precision/sgd_fused.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__global__ void sgd_fused_kernel(float* weights, float* velocity, const half* gradient, half* copy,
                                 const LossScale* state, float learning_rate, float momentum,
                                 std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  //! [hole-step]
  // Nothing moves after an overflow. Otherwise unscale the gradient, in FP32; then velocity,
  // weight and copy. Which of them does the next step start from: the weight, or its copy?
  if (state->overflow != 0) return;
  const float g = __half2float(gradient[i]) * state->inverse;
  const float v = momentum * velocity[i] + g;
  const float w = weights[i] - learning_rate * v;
  velocity[i] = v;
  weights[i] = w;
  copy[i] = __float2half_rn(w);
  //! [hole-step]
}

}  // namespace

void sgd_fused(std::span<float> weights, std::span<float> velocity, std::span<const half> gradient,
               std::span<half> copy, const LossScale* state, float learning_rate, float momentum,
               cudaStream_t stream) {
  constexpr std::size_t THREADS = 256;
  require_same_size(weights.size(), "the weights", velocity.size(), "the velocity");
  require_same_size(weights.size(), "the weights", gradient.size(), "the gradient");
  require_same_size(weights.size(), "the weights", copy.size(), "the copy");
  require(!weights.empty(), "the weights have 0 elements; expected at least 1");
  require(state != nullptr, "the state of the loss scale is a null pointer");
  const auto blocks = static_cast<unsigned>(ceil_div(weights.size(), THREADS));
  sgd_fused_kernel<<<blocks, THREADS, 0, stream>>>(weights.data(), velocity.data(), gradient.data(),
                                                   copy.data(), state, learning_rate, momentum,
                                                   weights.size());
  check_launch();
}

}  // namespace tut::ch12
