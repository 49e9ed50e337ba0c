#include "02_fast_cpu_matmul/pack_b_pairs.hpp"

#include <algorithm>

#include "tut/errors/require.hpp"

namespace tut::ch02 {

void pack_b_pairs(MatrixView<const float> b, float* panels) {
  require_matrix(b, "B");

  for (int col = 0; col < b.cols; col += pair_panel_cols) {
    const int cols = std::min(pair_panel_cols, b.cols - col);
    for (int k = 0; k < b.rows; k += 2) {
      //! [hole-pair]
      // Write the 32 floats of rows k and k + 1: for each of the panel's 16 columns the element of
      // row k, then that of row k + 1, and 0 where there is no such row or column. Read nothing
      // outside of B.
      for (int j = 0; j < pair_panel_cols; ++j) {
        panels[2 * j] = j < cols ? b(k, col + j) : 0.0f;
        panels[2 * j + 1] = j < cols && k + 1 < b.rows ? b(k + 1, col + j) : 0.0f;
      }
      //! [hole-pair]

      //! [hole-advance]
      // Move panels to where the next pair of rows goes.
      panels += 2 * pair_panel_cols;
      //! [hole-advance]
    }
  }
}

}  // namespace tut::ch02
