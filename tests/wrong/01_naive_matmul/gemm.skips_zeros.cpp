// fails: values
// says: expected NaN
// Leaves out what is multiplied by 0, also where that is infinite.
#include "01_naive_matmul/gemm.hpp"

#include "tut/require.hpp"

namespace tut::ch01 {

void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i = 0; i < c.rows; ++i) {
    // Multiply row i of C by beta. With beta = 0 set it to 0 instead: 0 times NaN is NaN.
    for (int j = 0; j < c.cols; ++j) c(i, j) = beta == 0.0f ? 0.0f : beta * c(i, j);

    // Add alpha times the product to row i, with the loops in the order k, j. alpha costs one
    // multiplication for each element of A, not one for each step of the inner loop.
    for (int k = 0; k < a.cols; ++k) {
      const float factor = alpha * a(i, k);
      if (factor == 0.0f) continue;
      for (int j = 0; j < c.cols; ++j) c(i, j) += factor * b(k, j);
    }
  }
}

}  // namespace tut::ch01
