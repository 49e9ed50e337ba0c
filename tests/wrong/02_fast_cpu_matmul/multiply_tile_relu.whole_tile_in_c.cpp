// fails: values
// says: an element of C was written more than once
// A whole tile needs no copy: beyond a depth of 256 its unfinished sums wait in C.
#include "02_fast_cpu_matmul/multiply_tile_relu.hpp"

#include <algorithm>

namespace tut::ch02 {

void multiply_tile_relu(int depth, const float* a_panel, const float* b_panel, const float* bias,
                        MatrixView<float> c) {
  const bool is_whole = c.rows == relu_tile_rows && c.cols == relu_tile_cols;
  const int part = is_whole ? 256 : depth;
  for (int k0 = 0; k0 < depth; k0 += part) {
    const int k1 = std::min(k0 + part, depth);
    float sum[relu_tile_rows][relu_tile_cols] = {};
    for (int k = k0; k < k1; ++k) {
      for (int i = 0; i < relu_tile_rows; ++i) {
        for (int j = 0; j < relu_tile_cols; ++j) {
          sum[i][j] += a_panel[k * relu_tile_rows + i] * b_panel[k * relu_tile_cols + j];
        }
      }
    }
    for (int i = 0; i < c.rows; ++i) {
      for (int j = 0; j < c.cols; ++j) {
        const float before = k0 == 0 ? bias[j] : c(i, j);
        c(i, j) = k1 == depth ? std::max(0.0f, before + sum[i][j]) : before + sum[i][j];
      }
    }
  }
}

}  // namespace tut::ch02
