/// \file
/// How a tensor core adds, as a function of the host: the CPU backend rounds, hardware cuts.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "12_mixed_precision/formats.hpp"

namespace tut::ch12 {

/// x without what lies beyond float's 24 bits: rounded towards zero.
inline float cut_to_float(double x) {
  const auto nearest = static_cast<float>(x);
  return std::abs(static_cast<double>(nearest)) > std::abs(x) ? std::nextafter(nearest, 0.0f)
                                                              : nearest;
}

/// sum + x[0] * y[0] + x[1] * y[1] + ... of one step of a tensor core. Products are exact. All
/// terms are shifted to the exponent of the largest and what sticks out on the right is cut off; so
/// is what the result has too many. As measured on Volta and Turing, which keep no further bits;
/// Ampere and Hopper keep one or two, and cut all the same.
///
/// Source: M. Fasi, N. J. Higham, M. Mikaitis, S. Pranesh, "Numerical behavior of NVIDIA tensor
/// cores", PeerJ Computer Science 7 (2021).
inline float tensor_core_step(float sum, std::span<const float> x, std::span<const float> y) {
  double largest_term = std::abs(static_cast<double>(sum));
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest_term = std::max(largest_term, std::abs(static_cast<double>(x[i]) * y[i]));
  }
  if (largest_term == 0) return 0.0f;
  const double unit = spacing(FP32, largest_term);
  double units = std::trunc(sum / unit);
  for (std::size_t i = 0; i < x.size(); ++i) {
    units += std::trunc(static_cast<double>(x[i]) * y[i] / unit);
  }
  return cut_to_float(units * unit);
}

/// The sum of all products, `step` of them at a time, beginning with `sum`.
inline float tensor_core_sum(float sum, std::span<const float> x, std::span<const float> y,
                             std::size_t step = 4) {
  for (std::size_t k = 0; k < x.size(); k += step) {
    const std::size_t count = std::min(step, x.size() - k);
    sum = tensor_core_step(sum, x.subspan(k, count), y.subspan(k, count));
  }
  return sum;
}

}  // namespace tut::ch12
