// The sums of a row in memory of their own, then alpha and beta.
#include "01_naive_matmul/gemm.hpp"

#include <vector>

#include "tut/errors/require.hpp"

namespace tut::ch01 {

void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  std::vector<float> sums(static_cast<std::size_t>(c.cols));
  for (int i = 0; i < c.rows; ++i) {
    sums.assign(sums.size(), 0.0f);
    for (int k = 0; k < a.cols; ++k) {
      const float* row = &b(k, 0);
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += a(i, k) * row[j];
    }
    float* to = &c(i, 0);
    for (std::size_t j = 0; j < sums.size(); ++j) {
      to[j] = beta == 0 ? alpha * sums[j] : alpha * sums[j] + beta * to[j];
    }
  }
}

}  // namespace tut::ch01
