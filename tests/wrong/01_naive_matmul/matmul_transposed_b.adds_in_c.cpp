// fails: values
// says: an element of C was written
// The loop over k lies outside of the one over j, so C is written for each k.
#include "01_naive_matmul/matmul_transposed_b.hpp"

#include "tut/errors/require.hpp"

namespace tut::ch01 {

void matmul_transposed_b(MatrixView<const float> a, MatrixView<const float> b,
                         MatrixView<float> c) {
  require(a.cols == b.cols && c.rows == a.rows && c.cols == b.rows, "shapes do not fit");
  require_matrix(a, "A");
  require_matrix(b, "B");
  require_matrix(c, "C");
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) c(i, j) = 0.0f;
    for (int k = 0; k < a.cols; ++k) {
      for (int j = 0; j < c.cols; ++j) c(i, j) += a(i, k) * b(j, k);
    }
  }
}

}  // namespace tut::ch01
