#include "06_finding_kernel_bugs/row_norms.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/grid_reach.hpp"
#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

/// The sum of row r, of `term(value)` for each value.
template <class Term>
double sum_of(const HostMatrix<float>& values, int r, const Term& term) {
  double sum = 0;
  for (const float value : values.row(r)) sum += term(static_cast<double>(value));
  return sum;
}

Outcome row_norms_outcome(const HostMatrix<float>& values, bool dense) {
  Guarded<float> in = matrix_image(values, dense);
  Guarded<float> squares = empty_image<float>(values.rows(), dense ? kTight : kOdd);
  const Guarded<float> in_before = in, squares_before = squares;
  const std::string text = matrix_text("in", in);
  Outcome run = run_on_device(
      kOneLaunch, text,
      [](cudaStream_t stream, MatrixView<const float> from, MatrixView<float> to) {
        row_norms(from, to.data, stream);
      },
      in, squares);
  if (!run.ok) return run;
  const auto expected = [&](int r) { return sum_of(values, r, [](double v) { return v * v; }); };
  const auto bound = [&](int r) {
    return sum_bound(values.cols(), sum_of(values, r, [](double v) { return v * v; }));
  };
  return first_failure({vector_is(squares_before, squares, "squares", text, expected, bound),
                        nothing_changed(in_before, in, "in", text)});
}

}  // namespace

TEST_CASE("row_norms adds up the squares of every row") {
  for (const bool dense : {true, false}) {
    for (const auto& [rows, cols] : {std::pair{3, 256},
                                     {2, 257},
                                     {2, 255},
                                     {2, 1009},
                                     {3, 33},
                                     {5, 31},
                                     {7, 5},
                                     {4, 1},
                                     {1, 1}}) {
      expect(row_norms_outcome(random_rows(rows, cols, 6), dense));
    }
  }
}

TEST_CASE("row_norms of many rows, and of long ones") {
  expect(row_norms_outcome(random_rows(2053, 3, 6), true));
  expect(row_norms_outcome(random_rows(2, 60013, 6), false));
}

TEST_CASE("row_norms of rows that lie far apart") {
  const DeviceBuffer<float> squares(37);
  expect(far_rows_outcome(
      [&](cudaStream_t stream, MatrixView<const float> in) {
        row_norms(in, squares.data(), stream);
      },
      [&](const HostMatrix<float>& values, const SparseMatrix<float>&, const std::string& text) {
        std::vector<float> results = squares.to_host();
        results.resize(static_cast<std::size_t>(values.rows()));
        const Guarded<float> image = vector_image(results, kTight);
        return vector_is(
            image, image, "squares", text,
            [&](int r) { return sum_of(values, r, [](double v) { return v * v; }); },
            [&](int r) {
              return sum_bound(values.cols(), sum_of(values, r, [](double v) { return v * v; }));
            });
      }));
}

TEST_CASE("row_norms of rows with infinities and NaN: the others are right") {
  for (const int cols : {1, 31, 40, 300}) expect(row_norms_outcome(unusual_rows(40, cols), true));
}

TEST_CASE("row_norms refuses what is no matrix") {
  const DeviceBuffer<float> memory(16);
  for (const MatrixView<float>& view : no_matrices(memory.data())) {
    INFO("a view of ", view.rows, "x", view.cols, ", stride ", view.stride);
    CHECK_THROWS_AS(row_norms(view, memory.data()), std::invalid_argument);
  }
}

TEST_CASE("row_norms of as many rows as there may be") {
  const LongBuffer<float> some, other;
  expect(grid_reach_outcome(
      {[&](cudaStream_t stream, int n) {
         row_norms({some.data(), n, 1, 1}, other.data(), stream);
       },
       "rows"},
      [](int n) { return row_norms_outcome(random_rows(n, 1, 6), true); }, 2053,
      MarkedParts("out", other.data(), kLongSize)));
}

TEST_CASE("budget") {
  constexpr int ROWS = 64, COLS = 512;
  expect_budget("row_norms", 4.0 * ROWS * COLS + 32.0 * ROWS,
                [] { return row_norms_outcome(random_rows(ROWS, COLS, 6), true); });
  for (const int cols : {416, 480}) {
    expect_cost(4.0 * ROWS * cols + 32.0 * ROWS,
                [cols] { return row_norms_outcome(random_rows(ROWS, cols, 6), true); });
  }
}

}  // namespace tut::ch06
