// Slices are cut off from the right, each its share of the lines that are left.
#include "02_fast_cpu_matmul/matmul_by_columns.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tut/errors/require.hpp"

namespace tut::ch02 {

void matmul_by_columns(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                       int threads, const Multiply& multiply) {
  require_matmul_shapes(a, b, c);
  if (threads < 1) throw std::invalid_argument("fewer than one thread");

  int lines = (c.cols + line_cols - 1) / line_cols, end = c.cols;
  std::vector<std::jthread> others;
  for (int left = std::min(threads, lines); left > 1; --left) {
    lines -= lines / left;
    const int first = lines * line_cols, cols = end - first;
    others.emplace_back([=, &multiply] {
      multiply(a, b.block(0, first, b.rows, cols), c.block(0, first, c.rows, cols));
    });
    end = first;
  }
  multiply(a, b.block(0, 0, b.rows, end), c.block(0, 0, c.rows, end));
}

}  // namespace tut::ch02
