// fails: values
// says: a NaN is lost
// Four products are left out where four factors are 0, though 0 times an infinity is NaN.
#include "01_naive_matmul/gemm.hpp"

#include <algorithm>

#include "tut/errors/require.hpp"

namespace tut::ch01 {

void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i = 0; i < c.rows; ++i) {
    float* __restrict c_row = &c(i, 0);
    if (beta == 0.0f) {
      std::fill_n(c_row, c.cols, 0.0f);
    } else {
      for (int j = 0; j < c.cols; ++j) c_row[j] *= beta;
    }

    // Four rows of B at a time: C is loaded and stored once for four multiply-adds.
    int k = 0;
    for (; k + 4 <= a.cols; k += 4) {
      const float f0 = alpha * a(i, k);
      const float f1 = alpha * a(i, k + 1);
      const float f2 = alpha * a(i, k + 2);
      const float f3 = alpha * a(i, k + 3);
      if (f0 == 0.0f && f1 == 0.0f && f2 == 0.0f && f3 == 0.0f) continue;  // nothing to add
      const float* b0 = &b(k, 0);
      const float* b1 = &b(k + 1, 0);
      const float* b2 = &b(k + 2, 0);
      const float* b3 = &b(k + 3, 0);
      for (int j = 0; j < c.cols; ++j) {
        c_row[j] += f0 * b0[j];
        c_row[j] += f1 * b1[j];
        c_row[j] += f2 * b2[j];
        c_row[j] += f3 * b3[j];
      }
    }
    for (; k < a.cols; ++k) {
      const float factor = alpha * a(i, k);
      const float* b_row = &b(k, 0);
      for (int j = 0; j < c.cols; ++j) c_row[j] += factor * b_row[j];
    }
  }
}

}  // namespace tut::ch01
