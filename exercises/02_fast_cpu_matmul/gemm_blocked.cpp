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
        // TODO: Add the product of A's rows from i0 (`rows` of them), columns k0 to k1, and B's columns
        // from j0 (`cols` of them) to sum. Choose the order of the three loops so that the
        // innermost one runs over contiguous elements.
      }

      // TODO: The block is finished: set it to alpha sum + beta C. With beta = 0 do not read C.
    }
  }
}

}  // namespace tut::ch02
