// fails: out-of-bounds
// says: reads or writes memory past the end of B
// Copies 16 columns of every row and clears what is too much.
#include "02_fast_cpu_matmul/pack_b_pairs.hpp"

#include <algorithm>
#include <cstring>

#include "tut/require.hpp"

namespace tut::ch02 {

void pack_b_pairs(MatrixView<const float> b, float* panels) {
  require_matrix(b, "B");

  float upper[pair_panel_cols], lower[pair_panel_cols];
  for (int col = 0; col < b.cols; col += pair_panel_cols) {
    const int cols = std::min(pair_panel_cols, b.cols - col);
    for (int k = 0; k < b.rows; k += 2) {
      // Whole vectors: a copy of known size is two instructions. Then the missing columns.
      std::memcpy(upper, &b(k, col), sizeof upper);
      if (k + 1 < b.rows) {
        std::memcpy(lower, &b(k + 1, col), sizeof lower);
      } else {
        std::fill_n(lower, pair_panel_cols, 0.0f);
      }
      std::fill(upper + cols, upper + pair_panel_cols, 0.0f);
      std::fill(lower + cols, lower + pair_panel_cols, 0.0f);

      for (int j = 0; j < pair_panel_cols; ++j) {
        panels[2 * j] = upper[j];
        panels[2 * j + 1] = lower[j];
      }
      panels += 2 * pair_panel_cols;
    }
  }
}

}  // namespace tut::ch02
