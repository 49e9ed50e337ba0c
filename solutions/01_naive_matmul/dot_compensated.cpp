#include "01_naive_matmul/dot_compensated.hpp"

#include <cmath>
#include <cstddef>

#include "01_naive_matmul/summation.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch01 {

float dot_compensated(std::span<const float> x, std::span<const float> y) {
  require_same_size(x.size(), "x", y.size(), "y");

  float sum = 0.0f, lost = 0.0f;
  for (std::size_t i = 0; i < x.size(); ++i) {
    //! [hole-product]
    // Split x[i] * y[i] into its rounded value and its rounding error, exactly: std::fma(x, y, z)
    // is x * y + z with a single rounding.
    const float product = x[i] * y[i];
    const float product_error = std::fma(x[i], y[i], -product);
    //> const float product = 0.0f, product_error = 0.0f;
    //! [hole-product]

    //! [hole-sum]
    // Add the rounded product to sum with two_sum, and both errors, the product's and the sum's, to
    // lost.
    const TwoSum step = two_sum(sum, product);
    sum = step.s;
    lost += product_error + step.e;
    //! [hole-sum]
  }
  return sum + lost;
}

}  // namespace tut::ch01
