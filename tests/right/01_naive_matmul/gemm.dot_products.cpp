// A dot product for each element; the old C is read last.
#include "01_naive_matmul/gemm.hpp"

#include "tut/errors/require.hpp"

namespace tut::ch01 {

void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) {
      float sum = 0;
      for (int k = 0; k < a.cols; ++k) sum += a(i, k) * b(k, j);
      sum *= alpha;
      if (beta != 0) sum += beta * c(i, j);
      c(i, j) = sum;
    }
  }
}

}  // namespace tut::ch01
