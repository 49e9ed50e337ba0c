/// @file
/// float to the bits of half and of bfloat16, to nearest even, and back.
/// Source: CUDA Math API, "Half Precision Conversion and Data Movement" and "Bfloat16 Precision
/// Conversion and Data Movement"; IEEE 754-2019, binary16.
#pragma once

#include <bit>
#include <cstdint>

#include "simt/float16/encode.hpp"

namespace simt::detail {

/// In integers, without branches: a compiler does many elements at once, which beats the
/// processor's own conversion of a single one.
constexpr std::uint16_t half_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  // Below 2^-14 the ulp is that of 0.5f: adding it rounds there.
  const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(shifted) - 0x3F000000u;
  const std::uint32_t odd = magnitude >> 13 & 1u;
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xFFFu + odd) >> 13;
  std::uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x477FF000u ? 0x7C00u : result;  // 65520 is the tie with 65536
  result |= sign;
  return static_cast<std::uint16_t>(magnitude > 0x7F800000u ? 0x7FFFu : result);
}

/// Every NaN becomes the canonical one, as CUDA has it.
constexpr float half_value(std::uint16_t h) {
  const std::uint32_t magnitude = h & 0x7FFFu;
  const std::uint32_t sign = (h & 0x8000u) << 16;
  // As a float of half's exponent range: wrong by 2^112, which a product mends, subnormals too.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  std::uint32_t result = std::bit_cast<std::uint32_t>(scaled);
  result = magnitude >= 0x7C00u ? 0x7F800000u : result;
  result |= sign;
  return std::bit_cast<float>(magnitude > 0x7C00u ? 0x7FFFFFFFu : result);
}

constexpr std::uint16_t bfloat16_bits(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
  return static_cast<std::uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFu : rounded);
}

constexpr float bfloat16_value(std::uint16_t b) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16);
}

}  // namespace simt::detail
