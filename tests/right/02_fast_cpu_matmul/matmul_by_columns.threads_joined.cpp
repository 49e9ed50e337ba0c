// Plain threads, joined by hand; the calling thread takes the last slice.
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

  const int lines = (c.cols + line_cols - 1) / line_cols, slices = std::min(threads, lines);
  std::vector<int> begins;
  for (long s = 0; s < slices; ++s) begins.push_back(static_cast<int>(lines * s / slices * 16));
  begins.push_back(c.cols);
  const auto slice = [&](std::size_t s) {
    const int cols = begins[s + 1] - begins[s];
    multiply(a, b.block(0, begins[s], b.rows, cols), c.block(0, begins[s], c.rows, cols));
  };
  std::vector<std::thread> others;
  for (std::size_t s = 0; s + 2 < begins.size(); ++s) others.emplace_back(slice, s);
  slice(begins.size() - 2);
  for (std::thread& other : others) other.join();
}

}  // namespace tut::ch02
