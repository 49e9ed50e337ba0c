#include "02_fast_cpu_matmul/multiply_tile_relu.hpp"

#include <algorithm>

namespace tut::ch02 {

void multiply_tile_relu(int depth, const float* a_panel, const float* b_panel, const float* bias,
                        MatrixView<float> c) {
  float sum[relu_tile_rows][relu_tile_cols] = {};
  for (int k = 0; k < depth; ++k) {
    // TODO: Add the product of the k-th column of the A panel (6 values) and the k-th row of the B panel
    // (16 values) to the whole tile. Loops with constant bounds, no condition in them: that is what
    // the compiler keeps in registers.
  }

  // TODO: Write max(0, sum + bias of the column) to the part of the tile that lies in C, and nowhere
  // else. bias ends where C ends.
}

}  // namespace tut::ch02
