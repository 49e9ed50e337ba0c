/// @file
/// Rounding to a small binary floating-point format, for every rounding mode, in integers: the one
/// definition behind half, bfloat16 and the FP8 formats.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace simt::detail {

enum class Rounding { kNearest, kZero, kUp, kDown };

/// A format with `mantissa_bits` explicit bits whose smallest normal number is 2^min_exponent.
/// `infinity` is the magnitude's encoding just above the largest finite one.
struct SmallFormat {
  int mantissa_bits;
  int min_exponent;
  unsigned infinity;
};

inline constexpr SmallFormat kHalfFormat{10, -14, 0x7C00};
inline constexpr SmallFormat kBfloat16Format{7, -126, 0x7F80};

/// What a rounded magnitude is: its encoding, or that it went beyond the largest finite one.
struct Encoded {
  unsigned magnitude;
  bool overflow;
};

/// |x| rounded to the format. x is finite; `negative` is its sign, which the directed modes need.
constexpr Encoded encode_magnitude(SmallFormat format, double x, bool negative, Rounding mode) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int biased = static_cast<int>(bits >> 52 & 0x7FF);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t significand = biased == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  const int exponent = (biased == 0 ? 1 : biased) - 1023;
  const int below = exponent < format.min_exponent ? format.min_exponent - exponent : 0;
  // 54 dropped bits leave nothing but "less than half of the smallest".
  const int dropped =
      52 - format.mantissa_bits + below < 54 ? 52 - format.mantissa_bits + below : 54;
  std::uint64_t kept = significand >> dropped;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  bool up = false;
  switch (mode) {
    case Rounding::kNearest:
      up = rest > half || (rest == half && (kept & 1) != 0);
      break;
    case Rounding::kZero:
      break;
    case Rounding::kUp:
      up = rest != 0 && !negative;
      break;
    case Rounding::kDown:
      up = rest != 0 && negative;
      break;
  }
  kept += up ? 1 : 0;
  // The leading bit, where there is one, adds one to the exponent field; so does a carry.
  const int field = below > 0 ? 0 : exponent - format.min_exponent;
  const std::uint64_t magnitude =
      (static_cast<std::uint64_t>(field) << format.mantissa_bits) + kept;
  if (magnitude < format.infinity) return {static_cast<unsigned>(magnitude), false};
  const bool infinite = mode == Rounding::kNearest || (mode == Rounding::kUp && !negative) ||
                        (mode == Rounding::kDown && negative);
  return {infinite ? format.infinity : format.infinity - 1, true};
}

/// x as 16 bits of an IEEE-like format; every NaN becomes 0x7FFF, as CUDA's conversions have it.
constexpr std::uint16_t encode_float16(SmallFormat format, double x, Rounding mode) {
  if (x != x) return 0x7FFF;
  const bool negative = std::bit_cast<std::int64_t>(x) < 0;
  const unsigned sign = negative ? 0x8000u : 0u;
  constexpr std::uint64_t kInfinity = std::uint64_t{0x7FF} << 52;
  if ((std::bit_cast<std::uint64_t>(x) & ~(std::uint64_t{1} << 63)) == kInfinity) {
    return static_cast<std::uint16_t>(sign | format.infinity);
  }
  return static_cast<std::uint16_t>(sign | encode_magnitude(format, x, negative, mode).magnitude);
}

/// A value rounded to odd (to the neighbour whose last bit is 1, where it is not exact), given its
/// rounding to nearest and the error that made. A second rounding, to at least two bits fewer, is
/// then as right as a single one.
template <class Word, class T, class Error>
constexpr T odd_neighbour(T nearest, Error error) {
  const auto bits = std::bit_cast<Word>(nearest);
  const bool inexact = (error > 0) | (error < 0);
  const bool away_from_zero = (error > 0) == (static_cast<std::make_signed_t<Word>>(bits) >= 0);
  const Word step = away_from_zero ? Word{1} : ~Word{0};
  return std::bit_cast<T>(bits + (inexact && (bits & 1) == 0 ? step : Word{0}));
}

/// A double as a float, rounded to odd.
constexpr float float_to_odd(double x) {
  const float nearest = static_cast<float>(x);
  return odd_neighbour<std::uint32_t>(nearest, x - static_cast<double>(nearest));
}

/// a * b + c rounded to odd, where a * b is exact in T.
template <class T>
constexpr T fused_to_odd(T a, T b, T c) {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const T p = a * b;
  const T s = p + c;
  const T part = s - p;
  return odd_neighbour<Word>(s, (p - (s - part)) + (c - part));
}

/// An integer as a double, rounded to odd.
template <class Int>
constexpr double integer_to_odd(Int i) {
  const bool negative = i < 0;
  auto magnitude = static_cast<std::uint64_t>(i);
  if (negative) magnitude = ~magnitude + 1;
  const int spare = 11 - std::countl_zero(magnitude);
  if (spare > 0) {
    const bool inexact = (magnitude & ((std::uint64_t{1} << spare) - 1)) != 0;
    magnitude = (magnitude >> spare | (inexact ? 1u : 0u)) << spare;
  }
  const double x = static_cast<double>(magnitude);
  return negative ? -x : x;
}

}  // namespace simt::detail
