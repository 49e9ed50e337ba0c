#include "02_fast_cpu_matmul/matmul_blocked.hpp"

#include <algorithm>

#include "tut/errors/require.hpp"

namespace tut::ch02 {
namespace {

constexpr int block_depth = 128;  // rows of B
constexpr int block_cols = 512;   // 128 x 512 floats are 256 KiB

}  // namespace

void matmul_blocked(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  require_matmul_shapes(a, b, c);

  for (int i = 0; i < c.rows; ++i) std::fill_n(&c(i, 0), c.cols, 0.0f);
  //! [blocks]
  for (int j0 = 0; j0 < c.cols; j0 += block_cols) {
    const int cols = std::min(block_cols, c.cols - j0);
    for (int k0 = 0; k0 < a.cols; k0 += block_depth) {
      const int k1 = std::min(k0 + block_depth, a.cols);
      // Rows k0 to k1 of B, columns from j0: this block is used by all rows of C.
      for (int i = 0; i < c.rows; ++i) {
        float* __restrict c_row = &c(i, j0);
        for (int k = k0; k < k1; ++k) {
          const float a_ik = a(i, k);
          const float* b_row = &b(k, j0);
          for (int j = 0; j < cols; ++j) c_row[j] += a_ik * b_row[j];
        }
      }
    }
  }
  //! [blocks]
}

}  // namespace tut::ch02
