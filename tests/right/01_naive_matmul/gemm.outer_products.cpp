// C is scaled first, then k is the outermost loop: a sum of outer products.
#include "01_naive_matmul/gemm.hpp"

#include "tut/errors/require.hpp"

namespace tut::ch01 {

void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) {
      if (beta == 0) {
        c(i, j) = 0;
      } else if (beta != 1) {
        c(i, j) *= beta;
      }
    }
  }
  for (int k = 0; k < a.cols; ++k) {
    for (int i = 0; i < c.rows; ++i) {
      for (int j = 0; j < c.cols; ++j) c(i, j) += alpha * a(i, k) * b(k, j);
    }
  }
}

}  // namespace tut::ch01
