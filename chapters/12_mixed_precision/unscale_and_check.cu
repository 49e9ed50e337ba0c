#include "12_mixed_precision/unscale_and_check.hpp"

#include <cstddef>
#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

constexpr unsigned ALL_LANES = 0xFFFFFFFFu;
constexpr std::size_t THREADS = 256, WIDTH = 4;

/// As many elements as one load or store moves.
template <class T>
struct alignas(WIDTH * sizeof(T)) Pack {
  T x[WIDTH];
};

template <bool ALIGNED, class T>
__global__ void unscale_and_check_kernel(const T* gradient, float* out, std::size_t size,
                                         LossScale* state) {
  const std::size_t first = WIDTH * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x);
  const float inverse = state->inverse;
  bool overflow = false;
  //! [unscale]
  const auto unscaled = [&](T scaled) {
    const float value = static_cast<float>(scaled) * inverse;
    overflow = overflow || !isfinite(value);
    return value;
  };
  if (ALIGNED && first + WIDTH <= size) {
    const auto from = *reinterpret_cast<const Pack<T>*>(&gradient[first]);
    Pack<float> to;
    for (std::size_t i = 0; i < WIDTH; ++i) to.x[i] = unscaled(from.x[i]);
    if (out != nullptr) *reinterpret_cast<Pack<float>*>(&out[first]) = to;
  } else {
    for (std::size_t i = first; i < size && i < first + WIDTH; ++i) {
      const float value = unscaled(gradient[i]);
      if (out != nullptr) out[i] = value;
    }
  }
  // In most steps nothing overflows, and no thread touches the flag; else one lane of a warp does.
  if (__any_sync(ALL_LANES, overflow) && threadIdx.x % 32 == 0) atomicOr(&state->overflow, 1);
  //! [unscale]
}

template <class T>
bool is_aligned(const T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % (WIDTH * sizeof(T)) == 0;
}

template <class T>
void launch(std::span<const T> gradient, std::span<float> out, LossScale* state,
            cudaStream_t stream) {
  if (!out.empty()) require_same_size(gradient.size(), "the gradient", out.size(), "the output");
  require(!gradient.empty(), "the gradient has 0 elements; expected at least 1");
  require(state != nullptr, "the state of the loss scale is a null pointer");
  const std::size_t size = gradient.size();
  const auto blocks = static_cast<unsigned>(ceil_div(size, WIDTH * THREADS));
  const bool aligned = is_aligned(gradient.data()) && is_aligned(out.data());
  const auto kernel =
      aligned ? unscale_and_check_kernel<true, T> : unscale_and_check_kernel<false, T>;
  kernel<<<blocks, THREADS, 0, stream>>>(gradient.data(), out.data(), size, state);
  check_launch();
}

}  // namespace

void unscale_and_check(std::span<const float> gradient, std::span<float> out, LossScale* state,
                       cudaStream_t stream) {
  launch(gradient, out, state, stream);
}

void unscale_and_check(std::span<const half> gradient, std::span<float> out, LossScale* state,
                       cudaStream_t stream) {
  launch(gradient, out, state, stream);
}

}  // namespace tut::ch12
