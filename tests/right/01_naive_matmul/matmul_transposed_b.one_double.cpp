// One sum for each element, in double.
#include "01_naive_matmul/matmul_transposed_b.hpp"

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

  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < b.rows; ++j) {
      double sum = 0;
      for (int k = 0; k < a.cols; ++k) sum += static_cast<double>(a(i, k)) * b(j, k);
      c(i, j) = static_cast<float>(sum);
    }
  }
}

}  // namespace tut::ch01
