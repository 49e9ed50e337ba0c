// fails: values
// says: before it is written
// The loops of chapter 01's gemm, without blocks: a row of C is read and written for each k.
#include "02_fast_cpu_matmul/gemm_blocked.hpp"

#include "tut/errors/require.hpp"

namespace tut::ch02 {

void gemm_blocked(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                  MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) c(i, j) = beta == 0.0f ? 0.0f : beta * c(i, j);

    for (int k = 0; k < a.cols; ++k) {
      const float factor = alpha * a(i, k);
      for (int j = 0; j < c.cols; ++j) c(i, j) += factor * b(k, j);
    }
  }
}

}  // namespace tut::ch02
