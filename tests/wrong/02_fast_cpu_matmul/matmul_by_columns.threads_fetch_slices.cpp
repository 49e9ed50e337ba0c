// fails: values
// says: 64 slices were multiplied by
// A thread that is done takes another slice, and one that comes late finds none.
#include "02_fast_cpu_matmul/matmul_by_columns.hpp"

#include <algorithm>
#include <atomic>
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

  const auto first_col = [&](int s) {
    return static_cast<int>(std::int64_t{s} * lines / slices) * line_cols;
  };
  // As many threads as slices, and each takes the next slice that nobody has taken yet.
  std::atomic<int> next{0};
  const auto work = [&] {
    for (int s = next.fetch_add(1); s < slices; s = next.fetch_add(1)) {
      const int first = first_col(s);
      const int end = s == slices - 1 ? c.cols : first_col(s + 1);
      multiply(a, b.block(0, first, b.rows, end - first), c.block(0, first, c.rows, end - first));
    }
  };

  std::vector<std::jthread> others;
  for (int t = 1; t < slices; ++t) others.emplace_back(work);
  work();
}

}  // namespace tut::ch02
