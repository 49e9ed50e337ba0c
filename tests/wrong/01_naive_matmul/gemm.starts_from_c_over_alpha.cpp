// fails: values
// says: alpha 1e-30, beta
// Sums begin with (beta / alpha) C and are multiplied by alpha at their end: the quotient may be
// infinite where the result is not.
#include "01_naive_matmul/gemm.hpp"

#include "tut/require.hpp"

namespace tut::ch01 {

void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  if (alpha == 0.0f) {
    for (int i = 0; i < c.rows; ++i) {
      for (int j = 0; j < c.cols; ++j) c(i, j) = beta == 0.0f ? 0.0f : beta * c(i, j);
    }
    return;
  }
  const float quotient = beta / alpha;
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) {
      float sum = beta == 0.0f ? 0.0f : quotient * c(i, j);
      for (int k = 0; k < a.cols; ++k) sum += a(i, k) * b(k, j);
      c(i, j) = alpha * sum;
    }
  }
}

}  // namespace tut::ch01
