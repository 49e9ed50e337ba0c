/// @file
/// Half and bfloat16 to integers and back, with the rounding mode in the name.
/// Source: CUDA Math API, "Half Precision Conversion and Data Movement"; PTX ISA, "cvt".
#pragma once

#include "simt/device/convert.hpp"
#include "simt/float16/scalar.hpp"

namespace simt::detail {

/// Saturated; NaN is 0, or the integer with only its top bit set for 64 bits.
template <class Int, Rounding kMode, class H>
inline Int float16_to_integer(H h) {
  const float x = widen(h);
  float whole;
  if constexpr (kMode == Rounding::kNearest) {
    whole = ::rintf(x);
  } else if constexpr (kMode == Rounding::kZero) {
    whole = ::truncf(x);
  } else if constexpr (kMode == Rounding::kUp) {
    whole = ::ceilf(x);
  } else {
    whole = ::floorf(x);
  }
  if constexpr (sizeof(Int) < 4) {
    const int wide = saturated<int>(whole);
    constexpr int kLow = std::numeric_limits<Int>::min();
    constexpr int kHigh = std::numeric_limits<Int>::max();
    return static_cast<Int>(wide < kLow ? kLow : wide > kHigh ? kHigh : wide);
  } else {
    return saturated<Int>(whole);
  }
}

template <class H, class Int>
inline H integer_to_float16(Int i, Rounding mode = Rounding::kNearest) {
  return narrow_directed<H>(integer_to_odd(i), mode);
}

}  // namespace simt::detail
