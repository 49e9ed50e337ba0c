// fails: values
// says: A all 0, an infinity in B
// A block of A that is all zeros is left out, also where it meets an infinity.
#include "02_fast_cpu_matmul/gemm_blocked.hpp"

#include <algorithm>

#include "tut/require.hpp"

namespace tut::ch02 {
namespace {

constexpr int block_rows = 32, block_cols = 64, block_depth = 64;

bool is_zero(MatrixView<const float> m) {
  for (int r = 0; r < m.rows; ++r) {
    for (int col = 0; col < m.cols; ++col) {
      if (m(r, col) != 0.0f) return false;
    }
  }
  return true;
}

}  // namespace

void gemm_blocked(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                  MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i0 = 0; i0 < c.rows; i0 += block_rows) {
    const int rows = std::min(block_rows, c.rows - i0);
    for (int j0 = 0; j0 < c.cols; j0 += block_cols) {
      const int cols = std::min(block_cols, c.cols - j0);
      float sum[block_rows][block_cols] = {};
      for (int k0 = 0; k0 < a.cols; k0 += block_depth) {
        const int depth = std::min(block_depth, a.cols - k0);
        if (is_zero(a.block(i0, k0, rows, depth))) continue;
        for (int i = 0; i < rows; ++i) {
          for (int k = k0; k < k0 + depth; ++k) {
            const float a_ik = a(i0 + i, k);
            for (int j = 0; j < cols; ++j) sum[i][j] += a_ik * b(k, j0 + j);
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
