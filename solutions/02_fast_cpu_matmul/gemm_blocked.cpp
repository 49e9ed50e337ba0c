#include "02_fast_cpu_matmul/gemm_blocked.hpp"

#include <algorithm>

#include "tut/errors/require.hpp"

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
        //! [hole-block]
        // Add the product of A's rows from i0 (`rows` of them), columns k0 to k1, and B's columns
        // from j0 (`cols` of them) to sum. Choose the order of the three loops so that the
        // innermost one runs over contiguous elements.
        for (int i = 0; i < rows; ++i) {
          for (int k = k0; k < k1; ++k) {
            const float a_ik = a(i0 + i, k);
            for (int j = 0; j < cols; ++j) sum[i][j] += a_ik * b(k, j0 + j);
          }
        }
        //! [hole-block]
      }

      //! [hole-store]
      // The block is finished: set it to alpha sum + beta C. With beta = 0 do not read C.
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) {
          float& element = c(i0 + i, j0 + j);
          element = alpha * sum[i][j] + (beta == 0.0f ? 0.0f : beta * element);
        }
      }
      //! [hole-store]
    }
  }
}

}  // namespace tut::ch02
