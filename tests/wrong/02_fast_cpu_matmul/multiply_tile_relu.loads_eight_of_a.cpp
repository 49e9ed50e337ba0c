// fails: out-of-bounds
// says: reads or writes memory past the end of the panel of A
// Loads a column of the A panel into a register of eight floats: the last one goes past the end.
#include "02_fast_cpu_matmul/multiply_tile_relu.hpp"

#include <algorithm>

namespace tut::ch02 {

void multiply_tile_relu(int depth, const float* a_panel, const float* b_panel, const float* bias,
                        MatrixView<float> c) {
  constexpr int COLUMN = 8;  // floats of a vector register
  float sum[relu_tile_rows][relu_tile_cols] = {};
  for (int k = 0; k < depth; ++k) {
    float column[COLUMN];
    std::copy_n(a_panel + k * relu_tile_rows, COLUMN, column);
    for (int i = 0; i < relu_tile_rows; ++i) {
      for (int j = 0; j < relu_tile_cols; ++j) {
        sum[i][j] += column[i] * b_panel[k * relu_tile_cols + j];
      }
    }
  }

  // Write max(0, sum + bias of the column) to the part of the tile that lies in C, and nowhere
  // else. bias ends where C ends.
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) c(i, j) = std::max(0.0f, sum[i][j] + bias[j]);
  }
}

}  // namespace tut::ch02
