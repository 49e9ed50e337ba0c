// Double is more than twice the precision of float, and holds products of floats exactly.
#include "01_naive_matmul/dot_compensated.hpp"

#include <stdexcept>

namespace tut::ch01 {

float dot_compensated(std::span<const float> x, std::span<const float> y) {
  if (x.size() != y.size()) throw std::invalid_argument("x and y differ in length");

  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(x[i]) * y[i];
  return static_cast<float>(sum);
}

}  // namespace tut::ch01
