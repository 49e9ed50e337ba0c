// std::async, and one line more for the first slices where lines are left over.
#include "02_fast_cpu_matmul/matmul_by_columns.hpp"

#include <algorithm>
#include <future>
#include <stdexcept>
#include <vector>

#include "tut/errors/require.hpp"

namespace tut::ch02 {

void matmul_by_columns(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                       int threads, const Multiply& multiply) {
  require_matmul_shapes(a, b, c);
  if (threads < 1) throw std::invalid_argument("fewer than one thread");

  const int lines = (c.cols + 15) / 16, slices = std::min(lines, threads);
  std::vector<std::future<void>> others;
  int first = 0;
  for (int s = 0; s < slices; ++s) {
    const int cols = std::min(16 * (lines / slices + (s < lines % slices ? 1 : 0)), c.cols - first);
    const auto work = [=, &multiply] {
      multiply(a, {b.data + first, b.rows, cols, b.stride},
               {c.data + first, c.rows, cols, c.stride});
    };
    if (s + 1 < slices) {
      others.push_back(std::async(std::launch::async, work));
    } else {
      work();
    }
    first += cols;
  }
  for (auto& other : others) other.get();
}

}  // namespace tut::ch02
