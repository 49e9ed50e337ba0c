#include "01_naive_matmul/matmul_naive.hpp"

#include "tut/errors/require.hpp"

namespace tut::ch01 {

void matmul_naive(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  //! [loops]
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < a.cols; ++k) sum += a(i, k) * b(k, j);
      c(i, j) = sum;
    }
  }
  //! [loops]
}

}  // namespace tut::ch01
