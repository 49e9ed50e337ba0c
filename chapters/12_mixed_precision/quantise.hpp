/// \file
/// Numbers as 8-bit integers with a scale and a zero point.
#pragma once

#include <algorithm>
#include <cmath>

namespace tut::ch12 {

//! [quantise]
/// An integer q of a tensor stands for the number scale * (q - zero).
struct Quantisation {
  float scale;   // the distance between neighbouring numbers
  int zero = 0;  // the integer that stands for 0
};

/// The integer for x: that of the nearest number, and beyond the ends the last.
inline signed char quantise(float x, const Quantisation& by) {
  const float q = std::nearbyint(x / by.scale) + static_cast<float>(by.zero);
  return static_cast<signed char>(std::clamp(q, -128.0f, 127.0f));
}

inline float dequantise(signed char q, const Quantisation& by) {
  return by.scale * static_cast<float>(q - by.zero);
}
//! [quantise]

//! [range]
/// For numbers from `low` to `high`, with 0 among them: -128 stands for low and 127 for high, as
/// nearly as a whole zero point allows.
inline Quantisation for_range(float low, float high) {
  const float scale = (high - low) / 255;
  return {scale, static_cast<int>(std::nearbyint(-128 - low / scale))};
}

/// For numbers from -largest to largest: 0 stands for 0.
inline Quantisation symmetric(float largest) { return {largest / 127}; }
//! [range]

}  // namespace tut::ch12
