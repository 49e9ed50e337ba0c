#include "06_finding_kernel_bugs/row_norms.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "tut/budget.hpp"
#include "tut/device_buffer.hpp"
#include "tut/device_matrix.hpp"
#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

Outcome row_norms_outcome(int rows, int cols, bool dense) {
  Guarded<float> in(rows, cols, dense ? cols : cols + 3, dense ? 0 : 1024);
  Guarded<float> squares = empty_image<float>(rows, !dense);
  HostMatrix<float> values(rows, cols);
  fill_uniform(values, 6);
  in.set(values);
  const Guarded<float> in_before = in, squares_before = squares;
  const std::string text = "in " + std::to_string(rows) + "x" + std::to_string(cols) + ", stride " +
                           std::to_string(in.stride());
  Outcome run = run_on_device(
      text,
      [](cudaStream_t stream, MatrixView<const float> from, MatrixView<float> to) {
        row_norms(from, to.data, stream);
      },
      in, squares);
  if (!run.ok) return run;
  const auto sum_of = [&](int r, auto&& term) {
    double sum = 0;
    for (const float value : values.row(r)) sum += term(static_cast<double>(value));
    return sum;
  };
  return first_failure({vector_is(
                            squares_before, squares, "squares", text,
                            [&](int r) { return sum_of(r, [](double v) { return v * v; }); },
                            [&](int r) {
                              return sum_bound(cols,
                                               sum_of(r, [](double v) { return std::abs(v * v); }));
                            }),
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
      expect(row_norms_outcome(rows, cols, dense));
    }
  }
}

TEST_CASE("row_norms refuses what is no matrix") {
  CHECK_THROWS_AS(row_norms({nullptr, 2, 3, 3}, nullptr), std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int ROWS = 64, COLS = 512;
  const DeviceMatrix<float> in(ROWS, COLS);
  const DeviceBuffer<float> squares(ROWS);
  expect_budget("row_norms", 4.0 * ROWS * COLS + 32.0 * ROWS,
                [&] { row_norms(in.view(), squares.data()); });
}

}  // namespace tut::ch06
