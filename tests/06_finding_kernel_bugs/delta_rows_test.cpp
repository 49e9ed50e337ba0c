#include "06_finding_kernel_bugs/delta_rows.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/grid_reach.hpp"
#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

HostMatrix<double> differences(const HostMatrix<float>& values) {
  return make_matrix<double>(values.rows(), values.cols(), [&](int r, int c) {
    return static_cast<double>(c == 0 ? values(r, 0) : values(r, c) - values(r, c - 1));
  });
}

Outcome is_exactly(const MatrixView<const float>& got, const HostMatrix<double>& expected,
                   const std::string& text) {
  const auto exact = make_matrix<double>(got.rows, got.cols, [](int, int) { return 0.0; });
  return compare(got, expected, exact, {.name = "m", .shape = text});
}

Outcome delta_outcome(const HostMatrix<float>& values, bool dense) {
  Guarded<float> m = matrix_image(values, dense);
  const Guarded<float> before = m;
  const std::string text = matrix_text("m", m);
  Outcome run = run_on_device(
      kOneLaunch, text,
      [](cudaStream_t stream, MatrixView<float> view) { delta_rows(view, stream); }, m);
  if (!run.ok) return run;
  return first_failure({is_exactly(m.cview(), differences(values), text),
                        only_inside_changed(before, m, "m", text)});
}

}  // namespace

TEST_CASE("delta_rows leaves differences") {
  for (const bool dense : {true, false}) {
    for (const auto& [rows, cols] : {std::pair{3, 512},
                                     {2, 513},
                                     {2, 511},
                                     {3, 257},
                                     {2, 256},
                                     {2, 255},
                                     {1, 1009},
                                     {5, 7},
                                     {4, 1},
                                     {1, 1}}) {
      expect(delta_outcome(random_rows(rows, cols, 4), dense));
    }
  }
}

TEST_CASE("delta_rows of many rows, and of long ones") {
  expect(delta_outcome(random_rows(2053, 2, 4), true));
  // 60013 elements are more than a block's shared memory holds.
  expect(delta_outcome(random_rows(1, 60013, 4), false));
}

TEST_CASE("delta_rows of rows that lie far apart") {
  expect(far_rows_outcome(
      [](cudaStream_t stream, MatrixView<float> m) { delta_rows(m, stream); },
      [](const HostMatrix<float>& values, const SparseMatrix<float>& m, const std::string& text) {
        return is_exactly(m.download().cview(), differences(values), text);
      }));
}

TEST_CASE("delta_rows of tiny and huge values") {
  for (const float scale : {1e-42f, 1e-30f, 1e30f, 1e38f}) {
    HostMatrix<float> values = random_rows(2, 300, 6);
    for (int c = 0; c < 300; ++c) values(0, c) *= scale, values(1, c) *= c % 2 == 0 ? scale : 1.0f;
    expect(delta_outcome(values, true));
  }
}

TEST_CASE("delta_rows of infinities and NaN") {
  for (const int cols : {1, 2, 40, 300}) expect(delta_outcome(unusual_rows(8, cols), true));
}

TEST_CASE("delta_rows refuses what is no matrix") {
  const DeviceBuffer<float> memory(16);
  for (const MatrixView<float>& view : no_matrices(memory.data())) {
    INFO("a view of ", view.rows, "x", view.cols, ", stride ", view.stride);
    CHECK_THROWS_AS(delta_rows(view), std::invalid_argument);
  }
}

TEST_CASE("delta_rows of as many rows as there may be") {
  // A row of one element need not be written, as the element stays; of a row of two, only the
  // second.
  constexpr std::size_t SIZE = std::size_t{2} * kLongSize;
  const LongBuffer<float> some(SIZE);
  MarkedParts results;
  results.add("the first row", some.data(), 2);
  results.add("the last row", some.data() + SIZE - 2, 2);
  expect(grid_reach_outcome(
      {[&](cudaStream_t stream, int n) {
         delta_rows({some.data(), n, 2, 2}, stream);
       },
       "rows"},
      [](int n) { return delta_outcome(random_rows(n, 2, 4), true); }, 2053, results));
}

TEST_CASE("budget") {
  constexpr int ROWS = 16, COLS = 512;
  expect_budget("delta_rows", 8.0 * ROWS * COLS,
                [] { return delta_outcome(random_rows(ROWS, COLS, 4), true); });
  for (const int cols : {32, 416}) {
    expect_cost(8.0 * ROWS * cols,
                [cols] { return delta_outcome(random_rows(ROWS, cols, 4), true); });
  }
}

}  // namespace tut::ch06
