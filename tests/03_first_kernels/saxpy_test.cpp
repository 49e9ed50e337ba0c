#include "03_first_kernels/saxpy.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "tut/numeric/random.hpp"
#include "vector_case.hpp"

namespace tut::ch03 {
namespace {

// Small integers, so that the result is exact with and without a fused multiply-add.
Outcome saxpy_outcome(int n) {
  std::vector<float> x_values(static_cast<std::size_t>(n)), y_values(x_values), result(x_values);
  fill_small_integers(x_values, 3, 50);
  fill_small_integers(y_values, 4, 50);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = -2.5f * x_values[i] + y_values[i];
  Guarded<float> x = make_vector(x_values), y = make_vector(y_values);
  const Guarded<float> x_before = x, y_before = y;
  const std::string text = "n = " + std::to_string(n);

  Outcome run = run_on_device(
      text,
      [n](cudaStream_t stream, MatrixView<const float> xv, MatrixView<float> yv) {
        saxpy(-2.5f, xv.data, yv.data, n, stream);
      },
      x, y);
  if (!run.ok) return run;
  return first_failure(
      {exactly(y_before, y, result, "y", text), nothing_changed(x_before, x, "x", text, true)});
}

}  // namespace

TEST_CASE("saxpy updates every element once, also when the grid is smaller than the vector") {
  for (const int n : {1, 255, 256, 257, 10007, 100003}) expect(saxpy_outcome(n));
}

TEST_CASE("saxpy does nothing for no elements, and refuses a negative number") {
  CHECK_NOTHROW(saxpy(1.0f, nullptr, nullptr, 0));
  CHECK_THROWS_AS(saxpy(1.0f, nullptr, nullptr, -1), std::invalid_argument);
}

}  // namespace tut::ch03
