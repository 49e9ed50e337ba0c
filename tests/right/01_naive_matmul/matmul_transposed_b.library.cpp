// The dot products of the standard library.
#include "01_naive_matmul/matmul_transposed_b.hpp"

#include <functional>
#include <numeric>
#include <stdexcept>

namespace tut::ch01 {

void matmul_transposed_b(MatrixView<const float> a, MatrixView<const float> b,
                         MatrixView<float> c) {
  if (a.cols != b.cols || c.rows != a.rows || c.cols != b.rows) {
    throw std::invalid_argument("the shapes do not fit");
  }
  if (c.rows < 1 || c.cols < 1 || a.cols < 1) throw std::invalid_argument("a matrix is empty");
  if (a.stride < a.cols || b.stride < b.cols || c.stride < c.cols) {
    throw std::invalid_argument("a stride is too short");
  }

  for (int j = 0; j < b.rows; ++j) {
    for (int i = 0; i < a.rows; ++i) {
      c(i, j) = std::transform_reduce(&a(i, 0), &a(i, 0) + a.cols, &b(j, 0), 0.0f);
    }
  }
}

}  // namespace tut::ch01
