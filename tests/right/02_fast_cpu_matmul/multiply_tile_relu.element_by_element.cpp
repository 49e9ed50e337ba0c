// A sum for each element that there is.
#include "02_fast_cpu_matmul/multiply_tile_relu.hpp"

namespace tut::ch02 {

void multiply_tile_relu(int depth, const float* a_panel, const float* b_panel, const float* bias,
                        MatrixView<float> c) {
  for (int j = 0; j < c.cols; ++j) {
    for (int i = 0; i < c.rows; ++i) {
      float sum = 0;
      for (int k = 0; k < depth; ++k) sum += a_panel[6 * k + i] * b_panel[16 * k + j];
      sum += bias[j];
      c(i, j) = sum > 0 ? sum : 0;
    }
  }
}

}  // namespace tut::ch02
