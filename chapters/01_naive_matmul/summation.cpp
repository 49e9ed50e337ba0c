#include "01_naive_matmul/summation.hpp"

#include <cstddef>

namespace tut::ch01 {

float sum_in_order(std::span<const float> values) {
  float sum = 0.0f;
  for (const float value : values) sum += value;
  return sum;
}

//! [pairwise]
float sum_pairwise(std::span<const float> values) {
  if (values.size() <= 8) return sum_in_order(values);
  const std::size_t half = values.size() / 2;
  return sum_pairwise(values.first(half)) + sum_pairwise(values.subspan(half));
}
//! [pairwise]

//! [compensated]
TwoSum two_sum(float x, float y) {
  const float s = x + y;
  const float y_part = s - x;  // the part of y that is in s
  const float x_part = s - y_part;
  return {s, (x - x_part) + (y - y_part)};
}

float sum_compensated(std::span<const float> values) {
  float sum = 0.0f, lost = 0.0f;
  for (const float value : values) {
    const TwoSum step = two_sum(sum, value);
    sum = step.s;
    lost += step.e;
  }
  return sum + lost;
}
//! [compensated]

}  // namespace tut::ch01
