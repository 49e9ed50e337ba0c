#include "01_naive_matmul/gemm.hpp"

#include "tut/errors/require.hpp"

namespace tut::ch01 {

void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i = 0; i < c.rows; ++i) {
    // TODO: Multiply row i of C by beta. With beta = 0 set it to 0 instead: 0 times NaN is NaN.

    // TODO: Add alpha times the product to row i, with the loops in the order k, j. alpha costs one
    // multiplication for each element of A, not one for each step of the inner loop.
  }
}

}  // namespace tut::ch01
