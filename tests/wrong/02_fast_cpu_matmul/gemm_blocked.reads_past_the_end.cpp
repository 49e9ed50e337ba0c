// fails: out-of-bounds
// says: reads or writes memory past the end of B
// Always adds up 64 columns: the rest is never stored, and B is read behind its end.
#include "02_fast_cpu_matmul/gemm_blocked.hpp"

#include <algorithm>

#include "tut/require.hpp"

namespace tut::ch02 {
namespace {

constexpr int block_rows = 32, block_cols = 64, block_depth = 64;

}  // namespace

void gemm_blocked(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                  MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i0 = 0; i0 < c.rows; i0 += block_rows) {
    const int rows = std::min(block_rows, c.rows - i0);
    for (int j0 = 0; j0 < c.cols; j0 += block_cols) {
      const int cols = std::min(block_cols, c.cols - j0);
      float sum[block_rows][block_cols] = {};  // 8 KiB: stays in the first cache
      for (int k0 = 0; k0 < a.cols; k0 += block_depth) {
        const int k1 = std::min(k0 + block_depth, a.cols);
        for (int i = 0; i < rows; ++i) {
          for (int k = k0; k < k1; ++k) {
            const float a_ik = a(i0 + i, k);
            const float* b_row = &b(k, j0);
            // A constant bound makes whole vectors without a rest. What is computed beyond cols is
            // never stored.
            for (int j = 0; j < block_cols; ++j) sum[i][j] += a_ik * b_row[j];
          }
        }
      }

      for (int i = 0; i < rows; ++i) {
        float* c_row = &c(i0 + i, j0);
        if (beta == 0.0f) {
          for (int j = 0; j < cols; ++j) c_row[j] = alpha * sum[i][j];
        } else {
          for (int j = 0; j < cols; ++j) c_row[j] = alpha * sum[i][j] + beta * c_row[j];
        }
      }
    }
  }
}

}  // namespace tut::ch02
