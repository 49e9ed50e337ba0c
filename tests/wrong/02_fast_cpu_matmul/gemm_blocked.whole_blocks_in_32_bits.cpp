// fails: values
// says: are offsets computed in 64 bits
// Whole blocks have loops of their own, in which a row of B begins at an unsigned of 32 bits.
#include "02_fast_cpu_matmul/gemm_blocked.hpp"

#include <algorithm>
#include <cstdint>

#include "tut/require.hpp"

namespace tut::ch02 {
namespace {

constexpr int block_rows = 16, block_cols = 16;

}  // namespace

void gemm_blocked(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                  MatrixView<float> c) {
  require_matmul_shapes(a, b, c);
  const auto b_stride = static_cast<std::uint32_t>(b.stride);

  for (int i0 = 0; i0 < c.rows; i0 += block_rows) {
    const int rows = std::min(block_rows, c.rows - i0);
    for (int j0 = 0; j0 < c.cols; j0 += block_cols) {
      const int cols = std::min(block_cols, c.cols - j0);
      float sum[block_rows][block_cols] = {};
      for (int k = 0; k < a.cols; ++k) {
        if (rows == block_rows && cols == block_cols) {
          const float* const b_row = b.data + static_cast<std::uint32_t>(k) * b_stride + j0;
          for (int i = 0; i < block_rows; ++i) {
            for (int j = 0; j < block_cols; ++j) sum[i][j] += a(i0 + i, k) * b_row[j];
          }
        } else {
          for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < cols; ++j) sum[i][j] += a(i0 + i, k) * b(k, j0 + j);
          }
        }
      }
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) {
          float& element = c(i0 + i, j0 + j);
          element = alpha * sum[i][j] + (beta == 0.0f ? 0.0f : beta * element);
        }
      }
    }
  }
}

}  // namespace tut::ch02
