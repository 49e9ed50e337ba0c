// Blocks of one row and 64 columns, with a pointer that walks down B.
#include "02_fast_cpu_matmul/gemm_blocked.hpp"

#include <algorithm>

#include "tut/errors/require.hpp"

namespace tut::ch02 {

void gemm_blocked(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                  MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int j0 = 0; j0 < c.cols; j0 += 64) {
    const int cols = std::min(64, c.cols - j0);
    for (int i = 0; i < c.rows; ++i) {
      float sums[64] = {};
      const float* from = &b(0, j0);
      for (int k = 0; k < a.cols; ++k, from += k < a.cols ? b.stride : 0) {
        for (int j = 0; j < cols; ++j) sums[j] += a(i, k) * from[j];
      }
      float* to = &c(i, j0);
      for (int j = 0; j < cols; ++j) {
        if (beta == 0) {
          to[j] = alpha * sums[j];
        } else {
          to[j] = alpha * sums[j] + beta * to[j];
        }
      }
    }
  }
}

}  // namespace tut::ch02
