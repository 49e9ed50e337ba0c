// Each float of the panels asks where it is from.
#include "02_fast_cpu_matmul/pack_b_pairs.hpp"

#include "tut/errors/require.hpp"

namespace tut::ch02 {

void pack_b_pairs(MatrixView<const float> b, float* panels) {
  require_matrix(b, "B");

  const std::int64_t depth = b.rows % 2 == 0 ? b.rows : b.rows + 1, panel_size = 16 * depth;
  for (std::int64_t i = 0; i < pair_panels_size(b.rows, b.cols); ++i) {
    const auto within = i % panel_size;
    const auto k = static_cast<int>(within / 32 * 2 + within % 2);
    const auto col = static_cast<int>(i / panel_size * 16 + within % 32 / 2);
    panels[i] = k < b.rows && col < b.cols ? b(k, col) : 0.0f;
  }
}

}  // namespace tut::ch02
