#include "06_finding_kernel_bugs/row_sums.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "tut/budget/budget.hpp"
#include "tut/compare/device_probe.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/trial/grid_reach.hpp"
#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

std::string probe_row_sums(int rows, int cols) {
  Probe probe{{{"in", {rows, cols}}}, {"sums", {rows}}, {}, {}};
  probe.reference = [=](const std::vector<Probe::Values>& inputs) {
    Probe::Values sums(static_cast<std::size_t>(rows), 0.0);
    for (std::size_t i = 0; i < inputs[0].size(); ++i) {
      sums[i / static_cast<std::size_t>(cols)] += inputs[0][i];
    }
    return sums;
  };
  probe.run = probe_on_device(
      probe.output, [=](const std::vector<const float*>& in, float* out, cudaStream_t stream) {
        row_sums({in[0], rows, cols, cols}, out, stream);
      });
  return probe_one_hot(probe);
}

/// The sum of row r, of `term(value)` for each value.
template <class Term>
double sum_of(const HostMatrix<float>& values, int r, const Term& term) {
  double sum = 0;
  for (const float value : values.row(r)) sum += term(static_cast<double>(value));
  return sum;
}

Outcome row_sums_outcome(const HostMatrix<float>& values, bool dense) {
  Guarded<float> in = matrix_image(values, dense);
  Guarded<float> sums = empty_image<float>(values.rows(), dense ? kTight : kOdd);
  const Guarded<float> in_before = in, sums_before = sums;
  const std::string text = matrix_text("in", in);
  Outcome run = run_on_device(
      kOneLaunch, text,
      [](cudaStream_t stream, MatrixView<const float> from, MatrixView<float> to) {
        row_sums(from, to.data, stream);
      },
      in, sums);
  if (!run.ok) return run;
  const auto expected = [&](int r) { return sum_of(values, r, [](double v) { return v; }); };
  const auto bound = [&](int r) {
    return sum_bound(values.cols(), sum_of(values, r, [](double v) { return std::abs(v); }));
  };
  return first_failure({vector_is(sums_before, sums, "sums", text, expected, bound,
                                  [&] { return probe_row_sums(values.rows(), values.cols()); }),
                        nothing_changed(in_before, in, "in", text)});
}

}  // namespace

TEST_CASE("row_sums adds up every row") {
  for (const bool dense : {true, false}) {
    for (const auto& [rows, cols] : {std::pair{32, 32},
                                     {33, 31},
                                     {31, 65},
                                     {64, 96},
                                     {7, 1009},
                                     {101, 5},
                                     {1, 40},
                                     {40, 1},
                                     {1, 1}}) {
      expect(row_sums_outcome(random_rows(rows, cols, 6), dense));
    }
  }
}

TEST_CASE("row_sums of many rows, and of long ones") {
  expect(row_sums_outcome(random_rows(33001, 3, 6), true));
  expect(row_sums_outcome(random_rows(2, 60013, 6), false));
}

TEST_CASE("row_sums of rows that lie far apart") {
  const DeviceBuffer<float> sums(37);
  expect(far_rows_outcome(
      [&](cudaStream_t stream, MatrixView<const float> in) { row_sums(in, sums.data(), stream); },
      [&](const HostMatrix<float>& values, const SparseMatrix<float>&, const std::string& text) {
        std::vector<float> results = sums.to_host();
        results.resize(static_cast<std::size_t>(values.rows()));
        const Guarded<float> image = vector_image(results, kTight);
        return vector_is(
            image, image, "sums", text,
            [&](int r) { return sum_of(values, r, [](double v) { return v; }); },
            [&](int r) {
              return sum_bound(values.cols(),
                               sum_of(values, r, [](double v) { return std::abs(v); }));
            });
      }));
}

TEST_CASE("row_sums of rows with infinities and NaN: the others are right") {
  for (const int cols : {1, 31, 40, 300}) expect(row_sums_outcome(unusual_rows(40, cols), true));
}

TEST_CASE("row_sums refuses what is no matrix") {
  const DeviceBuffer<float> memory(16);
  for (const MatrixView<float>& view : no_matrices(memory.data())) {
    INFO("a view of ", view.rows, "x", view.cols, ", stride ", view.stride);
    CHECK_THROWS_AS(row_sums(view, memory.data()), std::invalid_argument);
  }
}

TEST_CASE("row_sums of as many rows as there may be") {
  const LongBuffer<float> some, other;
  expect(grid_reach_outcome(
      {[&](cudaStream_t stream, int n) {
         row_sums({some.data(), n, 1, 1}, other.data(), stream);
       },
       "rows"},
      [](int n) { return row_sums_outcome(random_rows(n, 1, 6), true); }, 33001,
      MarkedParts("out", other.data(), kLongSize)));
}

TEST_CASE("budget") {
  constexpr int ROWS = 64, COLS = 128;
  expect_budget("row_sums", 4.0 * ROWS * COLS + 4.0 * ROWS,
                [] { return row_sums_outcome(random_rows(ROWS, COLS, 6), true); });
  for (const int cols : {416, 480}) {
    expect_cost(4.0 * ROWS * cols + 4.0 * ROWS,
                [cols] { return row_sums_outcome(random_rows(ROWS, cols, 6), true); });
  }
}

}  // namespace tut::ch06
