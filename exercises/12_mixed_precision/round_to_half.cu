#include "12_mixed_precision/round_to_half.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__device__ std::uint16_t half_bits(float x) {
  const std::uint32_t bits = __float_as_uint(x);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  std::uint32_t code = 0;  // of FP16, without the sign
  if (magnitude > 0x7F800000u) return 0x7FFF;
  if (magnitude >= 0x38800000u) {  // 2^-14 or more: normal in FP16, or too large for it
    // TODO: The exponent field counts from -127, FP16's from -15: take off what is too much. Then
    // round the last 13 bits away, ties to even, as round_to_bfloat16 rounds 16. What is now beyond
    // the code of infinity, 0x7C00, is infinity.
  } else {
    // TODO: The code is the number in units of 2^-24, rounded to nearest, ties to even. The number
    // is its significand, an integer of 24 bits, times 2^(exponent field - 150): so the units are
    // the significand shifted right. By how many bits? Mind shifts that leave nothing: a shift by
    // 32 or more is not defined. (Floats that are subnormal themselves are far below.)
  }
  return static_cast<std::uint16_t>(sign | code);
}

__global__ void round_to_half_kernel(const float* in, std::uint16_t* out, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) out[i] = half_bits(in[i]);
}

}  // namespace

void round_to_half(std::span<const float> in, std::span<std::uint16_t> out, cudaStream_t stream) {
  constexpr std::size_t THREADS = 256;
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  const auto blocks = static_cast<unsigned>(ceil_div(in.size(), THREADS));
  round_to_half_kernel<<<blocks, THREADS, 0, stream>>>(in.data(), out.data(), in.size());
  check_launch();
}

}  // namespace tut::ch12
