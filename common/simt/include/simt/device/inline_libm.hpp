/// @file
/// Bodies for functions of the C library that a compiler otherwise calls one element at a time:
/// with these it inlines them, and loops over threads stay vectorisable. The same result whether
/// vectorised or not.
#pragma once

#include <math.h>

#include <bit>
#include <cstdint>

#include "simt/device/min_max.hpp"

namespace simt::detail {

/// e^x within one unit in the last place.
inline float exp_inline(float x) {
  const float low = x < -104.0f ? -104.0f : x;  // e^-104 rounds to 0, e^89 to infinity
  const float bounded = low > 89.0f ? 89.0f : low;
  // x = n ln 2 + r: adding 1.5 * 2^23 rounds to a whole number, and leaves it in the low bits.
  constexpr float kShift = 0x1.8p23f;
  const float shifted = bounded * 1.44269504f + kShift;
  const float n = shifted - kShift;
  const std::int32_t whole =
      std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kShift);
  // ln 2 in two parts, the first so short that its product with n is exact.
  const float reduced = bounded - n * 0x1.62E4p-1f;
  const float r = reduced - n * 0x1.7F7D1Cp-20f;
  const float lost = (reduced - r) - n * 0x1.7F7D1Cp-20f;
  float sum = 1.0f / 5040;
  sum = sum * r + 1.0f / 720;
  sum = sum * r + 1.0f / 120;
  sum = sum * r + 1.0f / 24;
  sum = sum * r + 1.0f / 6;
  sum = sum * r + 0.5f;
  sum = 1.0f +
        (r + (lost + r * r * sum));  // the small terms first, before 1 swallows their last bits
  // 2^n in two factors, each a normal number; the last product rounds once.
  const std::int32_t first = whole >> 1;
  const float scale_first = std::bit_cast<float>((first + 127) << 23);
  const float scale_rest = std::bit_cast<float>((whole - first + 127) << 23);
  const float result = sum * scale_first * scale_rest;
  return x != x ? x : result;
}

}  // namespace simt::detail

// "gnu_inline": the compiler may use the body, the C library keeps the function.
extern "C" {
[[gnu::gnu_inline, gnu::always_inline]] extern inline float fmaxf(float a, float b) noexcept {
  return simt::detail::number_max(a, b);
}
[[gnu::gnu_inline, gnu::always_inline]] extern inline float fminf(float a, float b) noexcept {
  return simt::detail::number_min(a, b);
}
[[gnu::gnu_inline, gnu::always_inline]] extern inline double fmax(double a, double b) noexcept {
  return simt::detail::number_max(a, b);
}
[[gnu::gnu_inline, gnu::always_inline]] extern inline double fmin(double a, double b) noexcept {
  return simt::detail::number_min(a, b);
}
[[gnu::gnu_inline, gnu::always_inline]] extern inline float expf(float x) noexcept {
  return simt::detail::exp_inline(x);
}
}
