#include "02_fast_cpu_matmul/matmul_by_columns.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch02 {

void matmul_by_columns(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                       int threads, const Multiply& multiply) {
  require_matmul_shapes(a, b, c);
  require(threads >= 1, {threads, " threads; expected at least 1"});

  const int lines = ceil_div(c.cols, line_cols);
  const int slices = std::min(threads, lines);
  //! [hole-slice]
  // Give slice s its columns: it begins at line s * lines / slices and ends where the next one
  // begins, the last one at the last column. The product of s and lines may take 64 bits.
  // block(row, col, rows, cols) of a view is a part of it. What of A does a slice need, what of B?
  const auto multiply_slice = [&](std::int64_t s) {
    const auto first = static_cast<int>(s * lines / slices) * line_cols;
    const auto end = static_cast<int>((s + 1) * lines / slices);
    const int last = end < lines ? end * line_cols : c.cols;
    multiply(a, b.block(0, first, b.rows, last - first), c.block(0, first, c.rows, last - first));
  };
  //! [hole-slice]

  //! [hole-threads]
  // Start a std::jthread for every slice but the first, then multiply the first one here. A jthread
  // joins when it is destroyed: where must the others be declared for that to come last?
  std::vector<std::jthread> others;
  for (int s = 1; s < slices; ++s) others.emplace_back(multiply_slice, s);
  multiply_slice(0);
  //! [hole-threads]
}

}  // namespace tut::ch02
