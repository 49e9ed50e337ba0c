// fails: values
// says: an element of C was written 2 times
// C is scaled before the blocks begin, and each block is added to it.
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
  for (int i0 = 0; i0 < c.rows; i0 += 32) {
    for (int j0 = 0; j0 < c.cols; j0 += 64) {
      const int rows = std::min(32, c.rows - i0), cols = std::min(64, c.cols - j0);
      float sum[32][64] = {};
      for (int i = 0; i < rows; ++i) {
        for (int k = 0; k < a.cols; ++k) {
          for (int j = 0; j < cols; ++j) sum[i][j] += a(i0 + i, k) * b(k, j0 + j);
        }
      }
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) c(i0 + i, j0 + j) += alpha * sum[i][j];
      }
    }
  }
}

}  // namespace tut::ch02
