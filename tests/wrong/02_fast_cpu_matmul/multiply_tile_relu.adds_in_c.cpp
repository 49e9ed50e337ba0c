// fails: values
// says: an element of C was written
// Adds up in C, and goes over it again for the bias and the ReLU.
#include "02_fast_cpu_matmul/multiply_tile_relu.hpp"

#include <algorithm>

namespace tut::ch02 {

void multiply_tile_relu(int depth, const float* a_panel, const float* b_panel, const float* bias,
                        MatrixView<float> c) {
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) c(i, j) = 0.0f;
  }
  for (int k = 0; k < depth; ++k) {
    for (int i = 0; i < c.rows; ++i) {
      for (int j = 0; j < c.cols; ++j) c(i, j) += a_panel[6 * k + i] * b_panel[16 * k + j];
    }
  }
  for (int i = 0; i < c.rows; ++i) {
    for (int j = 0; j < c.cols; ++j) c(i, j) = std::max(0.0f, c(i, j) + bias[j]);
  }
}

}  // namespace tut::ch02
