// Zeros everywhere, then each element of B to its place.
#include "02_fast_cpu_matmul/pack_b_pairs.hpp"

#include <algorithm>

#include "tut/errors/require.hpp"

namespace tut::ch02 {

void pack_b_pairs(MatrixView<const float> b, float* panels) {
  require_matrix(b, "B");

  std::fill_n(panels, pair_panels_size(b.rows, b.cols), 0.0f);
  const std::int64_t panel_size = std::int64_t{16} * (b.rows + b.rows % 2);
  for (int k = 0; k < b.rows; ++k) {
    for (int col = 0; col < b.cols; ++col) {
      panels[col / 16 * panel_size + k / 2 * 32 + col % 16 * 2 + k % 2] = b(k, col);
    }
  }
}

}  // namespace tut::ch02
