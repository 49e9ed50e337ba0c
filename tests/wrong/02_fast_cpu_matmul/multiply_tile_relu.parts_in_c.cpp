// fails: values
// says: an element of C was written
// Beyond a depth of 256 unfinished sums wait in C.
#include "02_fast_cpu_matmul/multiply_tile_relu.hpp"

#include <algorithm>

namespace tut::ch02 {
namespace {

constexpr int block_depth = 256;  // 256 x 22 floats are 22 KiB: they fit the first cache

}  // namespace

void multiply_tile_relu(int depth, const float* a_panel, const float* b_panel, const float* bias,
                        MatrixView<float> c) {
  for (int k0 = 0; k0 < depth; k0 += block_depth) {
    const int k1 = std::min(k0 + block_depth, depth);
    float sum[relu_tile_rows][relu_tile_cols] = {};
    for (int k = k0; k < k1; ++k) {
      for (int i = 0; i < relu_tile_rows; ++i) {
        for (int j = 0; j < relu_tile_cols; ++j) {
          sum[i][j] += a_panel[k * relu_tile_rows + i] * b_panel[k * relu_tile_cols + j];
        }
      }
    }

    const bool first = k0 == 0, last = k1 == depth;
    for (int i = 0; i < c.rows; ++i) {
      for (int j = 0; j < c.cols; ++j) {
        const float so_far = first ? sum[i][j] : c(i, j) + sum[i][j];
        c(i, j) = last ? std::max(0.0f, so_far + bias[j]) : so_far;
      }
    }
  }
}

}  // namespace tut::ch02
