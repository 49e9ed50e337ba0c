// fails: values
// says: rounding errors of large times small
// Halves of the factors in place of a fused multiply-add: what splits them overflows for large
// ones.
#include "01_naive_matmul/dot_compensated.hpp"

#include <cmath>
#include <cstddef>

#include "01_naive_matmul/summation.hpp"
#include "tut/require.hpp"

namespace tut::ch01 {

namespace {

float high_half(float v) {
  const float scaled = 4097.0f * v;
  return scaled - (scaled - v);
}

}  // namespace

float dot_compensated(std::span<const float> x, std::span<const float> y) {
  require_same_size(x.size(), "x", y.size(), "y");

  float sum = 0.0f, lost = 0.0f;
  for (std::size_t i = 0; i < x.size(); ++i) {
    // Split x[i] * y[i] into its rounded value and its rounding error, exactly: std::fma(x, y, z)
    // is x * y + z with a single rounding.
    const float product = x[i] * y[i];
    const float x_high = high_half(x[i]), y_high = high_half(y[i]);
    const float x_low = x[i] - x_high, y_low = y[i] - y_high;
    const float product_error =
        x_low * y_low - (((product - x_high * y_high) - x_low * y_high) - x_high * y_low);

    // Add the rounded product to sum with two_sum, and both errors, the product's and the sum's, to
    // lost.
    const TwoSum step = two_sum(sum, product);
    sum = step.s;
    lost += product_error + step.e;
  }
  return sum + lost;
}

}  // namespace tut::ch01
