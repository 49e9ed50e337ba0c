// fails: values
// says: are offsets computed in 64 bits
// Eight columns at once have a loop of their own, for which a row of B begins at an unsigned of 32
// bits.
#include "01_naive_matmul/gemm.hpp"

#include <cstdint>

#include "tut/require.hpp"

namespace tut::ch01 {

void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
          MatrixView<float> c) {
  require_matmul_shapes(a, b, c);
  const auto b_stride = static_cast<std::uint32_t>(b.stride);

  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) c(i, j) = beta == 0.0f ? 0.0f : beta * c(i, j);
    for (int k = 0; k < a.cols; ++k) {
      const float factor = alpha * a(i, k);
      const float* const b_row = b.data + static_cast<std::uint32_t>(k) * b_stride;
      int j = 0;
      for (; j + 8 <= c.cols; j += 8) {
        for (int s = 0; s < 8; ++s) c(i, j + s) += factor * b_row[j + s];
      }
      for (; j < c.cols; ++j) c(i, j) += factor * b(k, j);
    }
  }
}

}  // namespace tut::ch01
