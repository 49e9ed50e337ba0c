// All products and their errors first; the larger of two numbers tells what their sum has lost.
#include "01_naive_matmul/dot_compensated.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace tut::ch01 {

float dot_compensated(std::span<const float> x, std::span<const float> y) {
  if (x.size() != y.size()) throw std::invalid_argument("x and y differ in length");

  std::vector<float> terms, errors;
  for (std::size_t i = 0; i < x.size(); ++i) {
    terms.push_back(x[i] * y[i]);
    errors.push_back(std::fma(x[i], y[i], -terms.back()));
  }
  float sum = 0, error = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const float next = sum + terms[i];
    const bool larger = std::abs(sum) >= std::abs(terms[i]);
    errors[i] += larger ? (sum - next) + terms[i] : (terms[i] - next) + sum;
    sum = next;
  }
  for (const float e : errors) error += e;
  return sum + error;
}

}  // namespace tut::ch01
