// fails: values
// says: infinite biases
// What is below 0 times 0: of minus infinity that is NaN.
#include "02_fast_cpu_matmul/multiply_tile_relu.hpp"

namespace tut::ch02 {

void multiply_tile_relu(int depth, const float* a_panel, const float* b_panel, const float* bias,
                        MatrixView<float> c) {
  float sum[relu_tile_rows][relu_tile_cols] = {};
  for (int k = 0; k < depth; ++k) {
    // Add the product of the k-th column of the A panel (6 values) and the k-th row of the B panel
    // (16 values) to the whole tile. Loops with constant bounds, no condition in them: that is what
    // the compiler keeps in registers.
    for (int i = 0; i < relu_tile_rows; ++i) {
      for (int j = 0; j < relu_tile_cols; ++j) {
        sum[i][j] += a_panel[k * relu_tile_rows + i] * b_panel[k * relu_tile_cols + j];
      }
    }
  }

  // Write max(0, sum + bias of the column) to the part of the tile that lies in C, and nowhere
  // else. bias ends where C ends.
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) {
      const float value = sum[i][j] + bias[j];
      c(i, j) = value * (value > 0.0f ? 1.0f : 0.0f);
    }
  }
}

}  // namespace tut::ch02
