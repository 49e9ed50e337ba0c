#include "06_finding_kernel_bugs/row_sums.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "tut/budget.hpp"
#include "tut/device_buffer.hpp"
#include "tut/device_matrix.hpp"
#include "tut/device_probe.hpp"
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

Outcome row_sums_outcome(int rows, int cols, bool dense) {
  Guarded<float> in(rows, cols, dense ? cols : cols + 3, dense ? 0 : 1024);
  Guarded<float> sums = empty_image<float>(rows, !dense);
  HostMatrix<float> values(rows, cols);
  fill_uniform(values, 6);
  in.set(values);
  const Guarded<float> in_before = in, sums_before = sums;
  const std::string text = "in " + std::to_string(rows) + "x" + std::to_string(cols) + ", stride " +
                           std::to_string(in.stride());
  Outcome run = run_on_device(
      text,
      [](cudaStream_t stream, MatrixView<const float> from, MatrixView<float> to) {
        row_sums(from, to.data, stream);
      },
      in, sums);
  if (!run.ok) return run;
  const auto sum_of = [&](int r, auto&& term) {
    double sum = 0;
    for (const float value : values.row(r)) sum += term(static_cast<double>(value));
    return sum;
  };
  return first_failure(
      {vector_is(
           sums_before, sums, "sums", text,
           [&](int r) { return sum_of(r, [](double v) { return v; }); },
           [&](int r) { return sum_bound(cols, sum_of(r, [](double v) { return std::abs(v); })); },
           [&] { return probe_row_sums(rows, cols); }),
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
      expect(row_sums_outcome(rows, cols, dense));
    }
  }
}

TEST_CASE("row_sums refuses what is no matrix") {
  CHECK_THROWS_AS(row_sums({nullptr, 2, 3, 3}, nullptr), std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int ROWS = 64, COLS = 128;
  const DeviceMatrix<float> in(ROWS, COLS);
  const DeviceBuffer<float> sums(ROWS);
  expect_budget("row_sums", 4.0 * ROWS * COLS + 4.0 * ROWS,
                [&] { row_sums(in.view(), sums.data()); });
}

}  // namespace tut::ch06
