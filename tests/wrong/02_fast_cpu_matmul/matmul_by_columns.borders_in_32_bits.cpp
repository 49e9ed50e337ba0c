// fails: values
// The product of slices and lines is computed in 32 bits, without a sign.
#include "02_fast_cpu_matmul/matmul_by_columns.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch02 {

void matmul_by_columns(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                       int threads, const Multiply& multiply) {
  require_matmul_shapes(a, b, c);
  require(threads >= 1, {threads, " threads; expected at least 1"});

  const int lines = ceil_div(c.cols, line_cols);
  const int slices = std::min(threads, lines);

  const auto begin = [&](int s) {
    if (s == slices) return c.cols;
    // Nothing here is negative, and twice the range of int holds the product.
    const auto line = static_cast<std::uint32_t>(s) * static_cast<std::uint32_t>(lines) /
                      static_cast<std::uint32_t>(slices);
    return line_cols * static_cast<int>(line);
  };
  const auto work = [&](int s) {
    const int first = begin(s), cols = begin(s + 1) - first;
    multiply(a, b.block(0, first, b.rows, cols), c.block(0, first, c.rows, cols));
  };
  std::vector<std::jthread> others;
  for (int s = 1; s < slices; ++s) others.emplace_back(work, s);
  work(0);
}

}  // namespace tut::ch02
