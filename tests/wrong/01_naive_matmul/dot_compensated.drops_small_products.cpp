// fails: values
// says: rounding errors of the least products
// Products below 1e-20 are left out as if they were nothing.
#include "01_naive_matmul/dot_compensated.hpp"

#include <cmath>
#include <cstddef>

#include "01_naive_matmul/summation.hpp"
#include "tut/require.hpp"

namespace tut::ch01 {

float dot_compensated(std::span<const float> x, std::span<const float> y) {
  require_same_size(x.size(), "x", y.size(), "y");

  float sum = 0.0f, lost = 0.0f;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float product = x[i] * y[i];
    if (std::abs(product) < 1e-20f) continue;
    const TwoSum step = two_sum(sum, product);
    sum = step.s;
    lost += std::fma(x[i], y[i], -product) + step.e;
  }
  return sum + lost;
}

}  // namespace tut::ch01
