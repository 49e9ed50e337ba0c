#include "01_naive_matmul/gemm.hpp"

#include "tut/errors/require.hpp"

namespace tut::ch01 {

void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i = 0; i < c.rows; ++i) {
    //! [hole-scale]
    // Multiply row i of C by beta. With beta = 0 set it to 0 instead: 0 times NaN is NaN.
    for (int j = 0; j < c.cols; ++j) c(i, j) = beta == 0.0f ? 0.0f : beta * c(i, j);
    //! [hole-scale]

    //! [hole-add]
    // Add alpha times the product to row i, with the loops in the order k, j. alpha costs one
    // multiplication for each element of A, not one for each step of the inner loop.
    for (int k = 0; k < a.cols; ++k) {
      const float factor = alpha * a(i, k);
      for (int j = 0; j < c.cols; ++j) c(i, j) += factor * b(k, j);
    }
    //! [hole-add]
  }
}

}  // namespace tut::ch01
