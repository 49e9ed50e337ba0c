// fails: misaligned
// A thread stores eight codes, 16 bytes, at any multiple of 8 bytes.
#include "12_mixed_precision/round_to_half.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch12 {
namespace {

__device__ std::uint16_t half_bits(float x) {
  const std::uint32_t bits = __float_as_uint(x);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  std::uint32_t code = 0;  // of FP16, without the sign
  if (magnitude > 0x7F800000u) return 0x7FFF;
  if (magnitude >= 0x38800000u) {  // 2^-14 or more: normal in FP16, or too large for it
    // The exponent field counts from -127, FP16's from -15: take off what is too much. Then
    // round the last 13 bits away, ties to even, as round_to_bfloat16 rounds 16. What is now beyond
    // the code of infinity, 0x7C00, is infinity.
    const std::uint32_t last = magnitude >> 13 & 1;
    code = (magnitude - (112u << 23) + 0xFFFu + last) >> 13;
    if (code > 0x7C00u) code = 0x7C00u;
  } else {
    // The code is the number in units of 2^-24, rounded to nearest, ties to even. The number
    // is its significand, an integer of 24 bits, times 2^(exponent field - 150): so the units are
    // the significand shifted right. By how many bits? Mind shifts that leave nothing: a shift by
    // 32 or more is not defined. (Floats that are subnormal themselves are far below.)
    const int shift = 126 - static_cast<int>(magnitude >> 23);
    if (shift <= 24) {
      const std::uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u;
      const std::uint32_t rest = significand & ((1u << shift) - 1), middle = 1u << (shift - 1);
      code = significand >> shift;
      if (rest > middle || (rest == middle && code % 2 == 1)) ++code;
    }
  }
  return static_cast<std::uint16_t>(sign | code);
}

__global__ void round_to_half_kernel(const float* in, std::uint16_t* out, std::size_t size) {
  const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  const auto in_place = reinterpret_cast<std::uintptr_t>(in);
  const auto out_place = reinterpret_cast<std::uintptr_t>(out);
  if (first + 8 <= size && in_place % 16 == 0 && out_place % 8 == 0) {
    const float4 a = *reinterpret_cast<const float4*>(in + first);
    const float4 b = *reinterpret_cast<const float4*>(in + first + 4);
    const auto pair = [](float low, float high) {
      return std::uint32_t{half_bits(low)} | std::uint32_t{half_bits(high)} << 16;
    };
    *reinterpret_cast<uint4*>(out + first) =
        make_uint4(pair(a.x, a.y), pair(a.z, a.w), pair(b.x, b.y), pair(b.z, b.w));
    return;
  }
  for (std::size_t i = first; i < size && i < first + 8; ++i) out[i] = half_bits(in[i]);
}

}  // namespace

void round_to_half(std::span<const float> in, std::span<std::uint16_t> out, cudaStream_t stream) {
  constexpr std::size_t THREADS = 256;
  require_same_size(in.size(), "in", out.size(), "out");
  require(!in.empty(), "in has 0 elements; expected at least 1");
  const auto blocks = static_cast<unsigned>(ceil_div(in.size(), 8 * THREADS));
  round_to_half_kernel<<<blocks, THREADS, 0, stream>>>(in.data(), out.data(), in.size());
  check_launch();
}

}  // namespace tut::ch12
