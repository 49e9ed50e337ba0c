// A thread takes 16 elements, a block apart from each other.
#include "12_mixed_precision/convert_fp8_e4m3.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__device__ std::uint8_t e4m3_bits(float x) {
  const std::uint32_t bits = __float_as_uint(x);
  const std::uint32_t sign = bits >> 24 & 0x80u;
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  std::uint32_t code = 0;  // of E4M3, without the sign
  if (magnitude > 0x7F800000u) {
    code = 0x7F;
  } else if (magnitude >= 0x3C800000u) {  // 2^-6 or more: normal in E4M3, or too large for it
    // As in round_to_half, with E4M3's bias and bits: 20 bits are rounded away. What rounds
    // beyond 448 becomes 0x7E. Is it simpler to ask before rounding (448 is 0x43E00000), or after?
    const std::uint32_t last = magnitude >> 20 & 1;
    code = (magnitude - (120u << 23) + 0x7FFFFu + last) >> 20;
    if (code > 0x7Eu) code = 0x7Eu;
  } else {
    // The code is the number in units of 2^-9, rounded to nearest, ties to even.
    const int shift = 141 - static_cast<int>(magnitude >> 23);
    if (shift <= 24) {
      const std::uint32_t significand = (magnitude & 0x7FFFFFu) | 0x800000u;
      const std::uint32_t rest = significand & ((1u << shift) - 1), middle = 1u << (shift - 1);
      code = significand >> shift;
      if (rest > middle || (rest == middle && code % 2 == 1)) ++code;
    }
  }
  return static_cast<std::uint8_t>(sign | code);
}

__device__ float e4m3_value(std::uint8_t bits) {
  const std::uint32_t sign = std::uint32_t{bits} >> 7 << 31;
  const std::uint32_t code = bits & 0x7Fu;
  float magnitude = 0.0f;
  // Three sorts of codes: the NaN (__uint_as_float(0x7FFFFFFF) is one); subnormal numbers,
  // which are as many units of 2^-9; and normal numbers, whose two fields belong into those of a
  // float: shifted to where float has them, with float's bias for E4M3's.
  if (code == 0x7F) {
    magnitude = __uint_as_float(0x7FFFFFFFu);
  } else if (code < 8) {
    magnitude = static_cast<float>(code) * 0x1p-9f;
  } else {
    magnitude = __uint_as_float((code << 20) + (120u << 23));
  }
  return __uint_as_float(__float_as_uint(magnitude) | sign);
}

constexpr int STEPS = 16;  // of a block, along what it takes

__global__ void to_fp8_e4m3_kernel(const float* in, std::uint8_t* out, std::size_t size) {
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x * STEPS + threadIdx.x;
  for (int step = 0; step < STEPS && i < size; ++step, i += blockDim.x) out[i] = e4m3_bits(in[i]);
}

__global__ void from_fp8_e4m3_kernel(const std::uint8_t* in, float* out, std::size_t size) {
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x * STEPS + threadIdx.x;
  for (int step = 0; step < STEPS && i < size; ++step, i += blockDim.x) out[i] = e4m3_value(in[i]);
}

constexpr std::size_t THREADS = 256;

unsigned count_blocks(std::size_t in_size, std::size_t out_size) {
  require_same_size(in_size, "in", out_size, "out");
  require(in_size > 0, "in has 0 elements; expected at least 1");
  return static_cast<unsigned>(ceil_div(in_size, THREADS * STEPS));
}

}  // namespace

void to_fp8_e4m3(std::span<const float> in, std::span<std::uint8_t> out, cudaStream_t stream) {
  const unsigned blocks = count_blocks(in.size(), out.size());
  to_fp8_e4m3_kernel<<<blocks, THREADS, 0, stream>>>(in.data(), out.data(), in.size());
  check_launch();
}

void from_fp8_e4m3(std::span<const std::uint8_t> in, std::span<float> out, cudaStream_t stream) {
  const unsigned blocks = count_blocks(in.size(), out.size());
  from_fp8_e4m3_kernel<<<blocks, THREADS, 0, stream>>>(in.data(), out.data(), in.size());
  check_launch();
}

}  // namespace tut::ch12
