// An independent reference for small floating-point formats: every value is listed, and rounding is
// a search in the list.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace reference {

/// Value of a finite, non-negative encoding, from its fields.
inline double decode(unsigned bits, int mantissa_bits, int bias) {
  const unsigned exponent = bits >> mantissa_bits;
  const unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
  if (exponent == 0) return std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return std::ldexp(mantissa + (1u << mantissa_bits),
                    static_cast<int>(exponent) - bias - mantissa_bits);
}

/// All finite magnitudes in order; the index is the encoding. `count` includes what follows the
/// largest finite one as if the exponent went on: where rounding to nearest starts to overflow.
inline std::vector<double> magnitudes(unsigned count, int mantissa_bits, int bias) {
  std::vector<double> values(count);
  for (unsigned i = 0; i < count; ++i) values[i] = decode(i, mantissa_bits, bias);
  return values;
}

enum class Mode { kNearest, kZero, kUp, kDown };

/// The encoding (magnitude and sign) of finite x; the last entry of `values` stands for overflow.
inline unsigned round(const std::vector<double>& values, double x, Mode mode, unsigned sign_bit) {
  const bool negative = std::signbit(x);
  const double magnitude = std::fabs(x);
  const unsigned last = static_cast<unsigned>(values.size()) - 1;
  const auto above_it = std::lower_bound(values.begin(), values.end(), magnitude);
  const unsigned above = std::min(last, static_cast<unsigned>(above_it - values.begin()));
  unsigned chosen = above;
  if (magnitude < values[above] || (above == last && magnitude != values[last])) {
    const unsigned below = above - 1;
    const bool away = mode == (negative ? Mode::kDown : Mode::kUp);
    if (mode == Mode::kNearest) {
      const double to_below = magnitude - values[below];
      const double to_above = values[above] - magnitude;
      chosen = to_below < to_above || (to_below == to_above && below % 2 == 0) ? below : above;
    } else {
      chosen = away ? above : below;
    }
  } else if (above == last && mode != Mode::kNearest &&
             mode != (negative ? Mode::kDown : Mode::kUp)) {
    chosen = last - 1;
  }
  return chosen | (negative ? sign_bit : 0u);
}

}  // namespace reference
