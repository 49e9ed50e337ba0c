// All of the even rows of a panel first, then all of the odd ones.
#include "02_fast_cpu_matmul/pack_b_pairs.hpp"

#include <algorithm>

#include "tut/errors/require.hpp"

namespace tut::ch02 {

void pack_b_pairs(MatrixView<const float> b, float* panels) {
  require_matrix(b, "B");

  const int depth = round_up(b.rows, 2);
  for (int first = 0; first < b.cols; first += 16, panels += std::int64_t{16} * depth) {
    const int cols = std::min(16, b.cols - first);
    for (const int odd : {0, 1}) {
      for (int k = odd; k < depth; k += 2) {
        float* to = panels + std::int64_t{16} * (k - odd) + odd;
        for (int j = 0; j < 16; ++j) to[2 * j] = k < b.rows && j < cols ? b(k, first + j) : 0.0f;
      }
    }
  }
}

}  // namespace tut::ch02
