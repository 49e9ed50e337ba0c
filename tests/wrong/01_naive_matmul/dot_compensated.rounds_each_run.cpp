// fails: values
// says: else 0, y is 1: got 64, expected 63
// Sums runs of 256 elements with all care, and rounds each to one float before they are added.
#include "01_naive_matmul/dot_compensated.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "01_naive_matmul/summation.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch01 {

float dot_compensated(std::span<const float> x, std::span<const float> y) {
  require_same_size(x.size(), "x", y.size(), "y");

  constexpr std::size_t RUN = 256;
  float total = 0.0f, total_lost = 0.0f;
  for (std::size_t begin = 0; begin < x.size(); begin += RUN) {
    float sum = 0.0f, lost = 0.0f;
    for (std::size_t i = begin; i < std::min(begin + RUN, x.size()); ++i) {
      const float product = x[i] * y[i];
      const TwoSum step = two_sum(sum, product);
      sum = step.s;
      lost += std::fma(x[i], y[i], -product) + step.e;
    }
    const TwoSum step = two_sum(total, sum + lost);
    total = step.s;
    total_lost += step.e;
  }
  return total + total_lost;
}

}  // namespace tut::ch01
