// The tile in two halves of eight columns, the depth in fused multiply-adds.
#include "02_fast_cpu_matmul/multiply_tile_relu.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tut::ch02 {

void multiply_tile_relu(int depth, const float* a_panel, const float* b_panel, const float* bias,
                        MatrixView<float> c) {
  for (int half = 0; half < 2 && 8 * half < c.cols; ++half) {
    std::array<std::array<float, 8>, 6> sums{};
    for (int k = 0; k < depth; ++k) {
      for (std::size_t i = 0; i < 6; ++i) {
        const float factor = a_panel[k * 6 + static_cast<int>(i)];
        for (std::size_t j = 0; j < 8; ++j) {
          sums[i][j] =
              std::fma(factor, b_panel[k * 16 + 8 * half + static_cast<int>(j)], sums[i][j]);
        }
      }
    }
    for (int i = 0; i < c.rows; ++i) {
      for (int j = 8 * half; j < std::min(8 * half + 8, c.cols); ++j) {
        const float value =
            sums[static_cast<std::size_t>(i)][static_cast<std::size_t>(j - 8 * half)] + bias[j];
        c(i, j) = std::max(value, 0.0f);
      }
    }
  }
}

}  // namespace tut::ch02
