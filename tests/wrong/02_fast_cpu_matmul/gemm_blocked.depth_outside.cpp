// fails: values
// says: before it is written
// The blocks of K are outermost, as in matmul_blocked: C is read and written for each of them.
#include "02_fast_cpu_matmul/gemm_blocked.hpp"

#include <algorithm>

#include "tut/errors/require.hpp"

namespace tut::ch02 {

void gemm_blocked(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                  MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) c(i, j) = beta == 0.0f ? 0.0f : beta * c(i, j);
  }
  for (int k0 = 0; k0 < a.cols; k0 += 64) {
    const int k1 = std::min(k0 + 64, a.cols);
    for (int i0 = 0; i0 < c.rows; i0 += 32) {
      for (int j0 = 0; j0 < c.cols; j0 += 64) {
        for (int i = i0; i < std::min(i0 + 32, c.rows); ++i) {
          for (int k = k0; k < k1; ++k) {
            const float factor = alpha * a(i, k);
            for (int j = j0; j < std::min(j0 + 64, c.cols); ++j) c(i, j) += factor * b(k, j);
          }
        }
      }
    }
  }
}

}  // namespace tut::ch02
