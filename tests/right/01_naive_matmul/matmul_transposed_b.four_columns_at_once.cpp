// Four rows of B at once, so that an element of A is loaded once for four sums.
#include "01_naive_matmul/matmul_transposed_b.hpp"

#include <algorithm>
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

  for (int i = 0; i < c.rows; ++i) {
    for (int first = 0; first < c.cols; first += 4) {
      const int columns = std::min(4, c.cols - first);
      float even[4] = {}, odd[4] = {};
      for (int k = 0; k < a.cols; ++k) {
        for (int j = 0; j < columns; ++j) {
          (k % 2 == 0 ? even : odd)[j] += a(i, k) * b(first + j, k);
        }
      }
      for (int j = 0; j < columns; ++j) c(i, first + j) = even[j] + odd[j];
    }
  }
}

}  // namespace tut::ch01
