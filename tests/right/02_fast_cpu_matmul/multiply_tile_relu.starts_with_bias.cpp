// The bias is what the sums begin with, where there is one.
#include "02_fast_cpu_matmul/multiply_tile_relu.hpp"

#include <cmath>

namespace tut::ch02 {

void multiply_tile_relu(int depth, const float* a_panel, const float* b_panel, const float* bias,
                        MatrixView<float> c) {
  float sums[relu_tile_cols][relu_tile_rows] = {};
  for (int j = 0; j < c.cols; ++j) {
    for (float& sum : sums[j]) sum = bias[j];
  }
  for (; depth > 0; --depth, a_panel += relu_tile_rows, b_panel += relu_tile_cols) {
    for (int j = 0; j < relu_tile_cols; ++j) {
      for (int i = 0; i < relu_tile_rows; ++i) sums[j][i] += b_panel[j] * a_panel[i];
    }
  }
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) c(i, j) = std::fmax(sums[j][i], 0.0f);
  }
}

}  // namespace tut::ch02
