// fails: misaligned
// Two elements are taken at a time wherever the weights allow it; the others may begin anywhere.
#include "12_mixed_precision/sgd_fused.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

template <class T>
struct alignas(2 * sizeof(T)) Two {
  T x[2];
};

// A thread takes two neighbours. WIDE: in one access.
template <bool WIDE>
__global__ void sgd_fused_kernel(float* weights, float* velocity, const half* gradient, half* copy,
                                 const LossScale* state, float learning_rate, float momentum,
                                 std::size_t size) {
  const std::size_t i = 2 * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x);
  if (i >= size || state->overflow != 0) return;
  const float inverse = state->inverse;
  if (WIDE && i + 2 <= size) {
    const auto g = *reinterpret_cast<const Two<half>*>(gradient + i);
    auto v = *reinterpret_cast<const Two<float>*>(velocity + i);
    auto w = *reinterpret_cast<const Two<float>*>(weights + i);
    Two<half> c;
    for (int k = 0; k < 2; ++k) {
      v.x[k] = fmaf(momentum, v.x[k], static_cast<float>(g.x[k]) * inverse);
      w.x[k] = fmaf(-learning_rate, v.x[k], w.x[k]);
      c.x[k] = __float2half_rn(w.x[k]);
    }
    *reinterpret_cast<Two<float>*>(velocity + i) = v;
    *reinterpret_cast<Two<float>*>(weights + i) = w;
    *reinterpret_cast<Two<half>*>(copy + i) = c;
    return;
  }
  for (std::size_t j = i; j < size && j < i + 2; ++j) {
    const float v = fmaf(momentum, velocity[j], static_cast<float>(gradient[j]) * inverse);
    const float w = fmaf(-learning_rate, v, weights[j]);
    velocity[j] = v;
    weights[j] = w;
    copy[j] = __float2half_rn(w);
  }
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
  const auto blocks = static_cast<unsigned>(ceil_div(weights.size(), 2 * THREADS));
  const bool aligned = reinterpret_cast<std::uintptr_t>(weights.data()) % 8 == 0;
  const auto kernel = aligned ? sgd_fused_kernel<true> : sgd_fused_kernel<false>;
  kernel<<<blocks, THREADS, 0, stream>>>(weights.data(), velocity.data(), gradient.data(),
                                         copy.data(), state, learning_rate, momentum,
                                         weights.size());
  check_launch();
}

}  // namespace tut::ch12
