// Four sums with errors of their own, put together at the end with the same care.
#include "01_naive_matmul/dot_compensated.hpp"

#include <cmath>
#include <stdexcept>

#include "01_naive_matmul/summation.hpp"

namespace tut::ch01 {

float dot_compensated(std::span<const float> x, std::span<const float> y) {
  if (x.size() != y.size()) throw std::invalid_argument("x and y differ in length");

  float sums[4] = {}, errors[4] = {};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float product = x[i] * y[i];
    const TwoSum step = two_sum(sums[i % 4], product);
    sums[i % 4] = step.s;
    errors[i % 4] += step.e + std::fma(x[i], y[i], -product);
  }
  float sum = 0, error = 0;
  for (int lane = 0; lane < 4; ++lane) {
    const TwoSum step = two_sum(sum, sums[lane]);
    sum = step.s;
    error += step.e + errors[lane];
  }
  return sum + error;
}

}  // namespace tut::ch01
