// Blocks of C of 4 x 8, each over all of K at once.
#include "02_fast_cpu_matmul/gemm_blocked.hpp"

#include <algorithm>

#include "tut/errors/require.hpp"

namespace tut::ch02 {

void gemm_blocked(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                  MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int j0 = 0; j0 < c.cols; j0 += 8) {
    for (int i0 = 0; i0 < c.rows; i0 += 4) {
      const int rows = std::min(4, c.rows - i0), cols = std::min(8, c.cols - j0);
      float sums[4][8] = {};
      for (int k = 0; k < a.cols; ++k) {
        for (int i = 0; i < rows; ++i) {
          for (int j = 0; j < cols; ++j) sums[i][j] += a(i0 + i, k) * b(k, j0 + j);
        }
      }
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) {
          float& to = c(i0 + i, j0 + j);
          to = beta == 0 ? alpha * sums[i][j] : beta * to + alpha * sums[i][j];
        }
      }
    }
  }
}

}  // namespace tut::ch02
