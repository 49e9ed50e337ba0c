// fails: values
// says: wrote outside of C
// beta goes over all of C's memory, what lies between the rows included.
#include "01_naive_matmul/gemm.hpp"

#include <cstdint>

#include "tut/require.hpp"

namespace tut::ch01 {

void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  if (beta == 0.0f) {
    for (int i = 0; i < c.rows; ++i) {
      for (int j = 0; j < c.cols; ++j) c(i, j) = 0.0f;
    }
  } else if (beta != 1.0f) {
    const std::int64_t size = (c.rows - 1) * c.stride + c.cols;
    for (std::int64_t i = 0; i < size; ++i) c.data[i] *= beta;
  }
  for (int i = 0; i < c.rows; ++i) {
    for (int k = 0; k < a.cols; ++k) {
      const float factor = alpha * a(i, k);
      for (int j = 0; j < c.cols; ++j) c(i, j) += factor * b(k, j);
    }
  }
}

}  // namespace tut::ch01
