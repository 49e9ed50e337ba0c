// fails: values
// says: are offsets computed in 64 bits?
// Where beta scales C, a row begins at an unsigned of 32 bits.
#include "01_naive_matmul/gemm.hpp"

#include "tut/require.hpp"

namespace tut::ch01 {

void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i = 0; i < c.rows; ++i) {
    if (beta == 0.0f) {
      for (int j = 0; j < c.cols; ++j) c(i, j) = 0.0f;
    } else {
      float* row = c.data + static_cast<unsigned>(i) * static_cast<unsigned>(c.stride);
      for (int j = 0; j < c.cols; ++j) row[j] *= beta;
    }
    for (int k = 0; k < a.cols; ++k) {
      const float factor = alpha * a(i, k);
      for (int j = 0; j < c.cols; ++j) c(i, j) += factor * b(k, j);
    }
  }
}

}  // namespace tut::ch01
