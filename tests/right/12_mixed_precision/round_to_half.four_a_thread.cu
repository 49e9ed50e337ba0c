// Four elements a thread, a block apart, in unrolled loops: lanes that round in different ways come
// to each store one after the other.
#include "12_mixed_precision/round_to_half.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

constexpr std::size_t THREADS = 256;
constexpr std::size_t PER_THREAD = 4;

__device__ std::uint16_t half_bits(float x) {
  const std::uint32_t bits = __float_as_uint(x);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  std::uint32_t code = 0;  // of FP16, without the sign
  if (magnitude > 0x7F800000u) return 0x7FFF;
  if (magnitude >= 0x38800000u) {  // 2^-14 or more: normal in FP16, or too large for it
    const std::uint32_t rebiased = magnitude - (112u << 23);
    code = (rebiased + 0xFFFu + (rebiased >> 13 & 1u)) >> 13;
    if (code > 0x7C00u) code = 0x7C00u;
  } else {
    // In units of 2^-24 the number is its significand shifted right.
    const std::uint32_t significand = (magnitude & 0x007FFFFFu) | 0x00800000u;
    const std::uint32_t shift = 126u - (magnitude >> 23);
    if (shift <= 24u) {
      code = significand >> shift;
      const std::uint32_t rest = significand & ((1u << shift) - 1u);
      const std::uint32_t half = 1u << (shift - 1u);
      if (rest > half || (rest == half && (code & 1u) != 0u)) ++code;
    }
  }
  return static_cast<std::uint16_t>(sign | code);
}

__global__ void round_to_half_kernel(const float* in, std::uint16_t* out, std::size_t size) {
  const std::size_t first = std::size_t{blockIdx.x} * (THREADS * PER_THREAD) + threadIdx.x;
  float x[PER_THREAD] = {};
#pragma unroll
  for (std::size_t j = 0; j < PER_THREAD; ++j) {
    const std::size_t i = first + j * THREADS;
    if (i < size) x[j] = in[i];
  }
#pragma unroll
  for (std::size_t j = 0; j < PER_THREAD; ++j) {
    const std::size_t i = first + j * THREADS;
    if (i < size) out[i] = half_bits(x[j]);
  }
}

}  // namespace

void round_to_half(std::span<const float> in, std::span<std::uint16_t> out, cudaStream_t stream) {
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  const auto blocks = static_cast<unsigned>(ceil_div(in.size(), THREADS * PER_THREAD));
  round_to_half_kernel<<<blocks, THREADS, 0, stream>>>(in.data(), out.data(), in.size());
  check_launch();
}

}  // namespace tut::ch12
