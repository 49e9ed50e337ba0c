// fails: values
// says: a block of 16 elements or more
// A dot product for each element of C.
#include "02_fast_cpu_matmul/gemm_blocked.hpp"

#include "tut/errors/require.hpp"

namespace tut::ch02 {

void gemm_blocked(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                  MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) {
      float sum = 0.0f;
      for (int k = 0; k < a.cols; ++k) sum += a(i, k) * b(k, j);
      c(i, j) = alpha * sum + (beta == 0.0f ? 0.0f : beta * c(i, j));
    }
  }
}

}  // namespace tut::ch02
