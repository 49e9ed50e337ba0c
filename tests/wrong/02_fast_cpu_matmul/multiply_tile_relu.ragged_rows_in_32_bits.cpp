// fails: values
// says: are offsets computed in 64 bits
// Where the tile sticks out of C, a row of C begins at an unsigned of 32 bits.
#include "02_fast_cpu_matmul/multiply_tile_relu.hpp"

#include <algorithm>
#include <cstdint>

namespace tut::ch02 {

void multiply_tile_relu(int depth, const float* a_panel, const float* b_panel, const float* bias,
                        MatrixView<float> c) {
  float sum[relu_tile_rows][relu_tile_cols] = {};
  for (int k = 0; k < depth; ++k) {
    for (int i = 0; i < relu_tile_rows; ++i) {
      for (int j = 0; j < relu_tile_cols; ++j) {
        sum[i][j] += a_panel[k * relu_tile_rows + i] * b_panel[k * relu_tile_cols + j];
      }
    }
  }

  if (c.rows == relu_tile_rows && c.cols == relu_tile_cols) {
    for (int i = 0; i < relu_tile_rows; ++i) {
      for (int j = 0; j < relu_tile_cols; ++j) c(i, j) = std::max(0.0f, sum[i][j] + bias[j]);
    }
    return;
  }
  const auto stride = static_cast<std::uint32_t>(c.stride);
  for (int i = 0; i < c.rows; ++i) {
    float* const row = c.data + static_cast<std::uint32_t>(i) * stride;
    for (int j = 0; j < c.cols; ++j) row[j] = std::max(0.0f, sum[i][j] + bias[j]);
  }
}

}  // namespace tut::ch02
