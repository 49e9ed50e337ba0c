// fails: values
// says: 1100
// k goes by blocks of 256, and beta takes part in each of them.
#include "01_naive_matmul/gemm.hpp"

#include <algorithm>

#include "tut/errors/require.hpp"

namespace tut::ch01 {
namespace {

// C = beta C, without reading C if beta is 0.
void scale(float beta, bool first, MatrixView<float> c) {
  for (int i = 0; i < c.rows; ++i) {
    float* c_row = &c(i, 0);
    if (beta == 0.0f) {
      if (first) std::fill_n(c_row, c.cols, 0.0f);
    } else {
      for (int j = 0; j < c.cols; ++j) c_row[j] *= beta;
    }
  }
}

}  // namespace

void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  constexpr int BLOCK = 256;  // so many rows of B stay in a cache for all rows of C
  require_matmul_shapes(a, b, c);

  for (int k0 = 0; k0 < a.cols; k0 += BLOCK) {
    const int k_end = std::min(k0 + BLOCK, a.cols);
    scale(beta, k0 == 0, c);
    for (int i = 0; i < c.rows; ++i) {
      float* __restrict c_row = &c(i, 0);
      for (int k = k0; k < k_end; ++k) {
        const float factor = alpha * a(i, k);
        const float* b_row = &b(k, 0);
        for (int j = 0; j < c.cols; ++j) c_row[j] += factor * b_row[j];
      }
    }
  }
}

}  // namespace tut::ch01
