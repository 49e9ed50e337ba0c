// fails: values
// says: for a stride that is below the row, of A
// Looks at the sizes alone.
#include "01_naive_matmul/matmul_transposed_b.hpp"

#include <stdexcept>

namespace tut::ch01 {

void matmul_transposed_b(MatrixView<const float> a, MatrixView<const float> b,
                         MatrixView<float> c) {
  if (a.cols != b.cols || c.rows != a.rows || c.cols != b.rows || a.rows < 1 || a.cols < 1 ||
      b.rows < 1) {
    throw std::invalid_argument("the shapes do not fit");
  }
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < b.rows; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < a.cols; ++k) sum += a(i, k) * b(j, k);
      c(i, j) = sum;
    }
  }
}

}  // namespace tut::ch01
