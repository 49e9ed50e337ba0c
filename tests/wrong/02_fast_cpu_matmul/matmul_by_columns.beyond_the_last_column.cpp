// fails: values
// says: multiply was called with A
// The last slice is of whole lines, too: it ends beyond the last column.
#include "02_fast_cpu_matmul/matmul_by_columns.hpp"

#include <algorithm>
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
  // Give slice s its columns: it begins at line s * lines / slices and ends where the next one
  // begins, the last one at the last column. block(row, col, rows, cols) of a view is a part of it.
  // What of A does a slice need, what of B?
  const auto multiply_slice = [&](int s) {
    const int first = s * lines / slices * line_cols;
    const int last = (s + 1) * lines / slices * line_cols;
    multiply(a, b.block(0, first, b.rows, last - first), c.block(0, first, c.rows, last - first));
  };

  // Start a std::jthread for every slice but the first, then multiply the first one here. A jthread
  // joins when it is destroyed: where must the others be declared for that to come last?
  std::vector<std::jthread> others;
  for (int s = 1; s < slices; ++s) others.emplace_back(multiply_slice, s);
  multiply_slice(0);
}

}  // namespace tut::ch02
