/// \file
/// Floating-point formats by their numbers of bits: what each can represent, and how far apart.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace tut::ch12 {

/// A binary format: a sign, an exponent, the bits of the significand that are stored.
struct Format {
  const char* name;
  int exponent_bits;
  int stored_bits;   // of the significand; one more stands before the point of a normal number
  bool ieee = true;  // the largest exponent means infinity and NaN; without, only all ones is NaN

  constexpr int bits() const { return 1 + exponent_bits + stored_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  /// Exponent of the smallest normal number; subnormal numbers have it too.
  constexpr int smallest_exponent() const { return 1 - bias(); }
  /// The largest finite number's code, without the sign.
  constexpr unsigned largest_code() const {
    const unsigned all = (1u << (exponent_bits + stored_bits)) - 1;
    return ieee ? all - (1u << stored_bits) : all - 1;
  }
};

inline constexpr Format FP32{"FP32", 8, 23}, TF32{"TF32", 8, 10}, BF16{"BF16", 8, 7},
    FP16{"FP16", 5, 10}, E5M2{"E5M2", 5, 2}, E4M3{"E4M3", 4, 3, false};
inline constexpr std::array FORMATS{FP32, TF32, BF16, FP16, E5M2, E4M3};

/// What a finite code without sign means.
inline double value_of(const Format& format, unsigned code) {
  const int exponent = static_cast<int>(code >> format.stored_bits);
  const auto stored = static_cast<double>(code & ((1u << format.stored_bits) - 1));
  const double one = std::ldexp(1.0, format.stored_bits);
  const int lowest = format.smallest_exponent() - format.stored_bits;
  if (exponent == 0) return std::ldexp(stored, lowest);  // subnormal: no 1 before the point
  return std::ldexp(one + stored, lowest + exponent - 1);
}

inline double largest(const Format& format) { return value_of(format, format.largest_code()); }
inline double smallest_normal(const Format& format) {
  return std::ldexp(1.0, format.smallest_exponent());
}
inline double smallest(const Format& format) { return value_of(format, 1); }

/// The distance between two neighbouring numbers around x, if the exponents had no upper end.
inline double spacing(const Format& format, double x) {
  const int exponent = x == 0 ? format.smallest_exponent() : std::ilogb(x);
  return std::ldexp(1.0, std::max(exponent, format.smallest_exponent()) - format.stored_bits);
}

/// How numbers beyond the largest are rounded.
enum class Overflow { to_infinity, saturate };

/// x rounded to nearest, ties to even. Beyond the largest number: infinity (NaN where the format
/// has none), or the largest itself. By division and multiplication: the exercises do it with bits.
inline double rounded(const Format& format, double x, Overflow overflow = Overflow::to_infinity) {
  if (std::isnan(x) || x == 0) return x;
  const double most = largest(format);
  const double step = spacing(format, x);
  const double nearest = std::isinf(x) ? x : std::nearbyint(x / step) * step;
  if (std::abs(nearest) <= most) return std::copysign(nearest, x);
  if (overflow == Overflow::saturate) return std::copysign(most, x);
  return format.ieee ? std::copysign(INFINITY, x) : NAN;
}

}  // namespace tut::ch12
