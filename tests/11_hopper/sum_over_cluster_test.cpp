#include "11_hopper/sum_over_cluster.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "../08_reductions/reduction_case.hpp"
#include "hopper_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/matrix/device_matrix.hpp"

namespace tut::ch11 {
namespace {

constexpr int CLUSTER = 4, THREADS = 256;

/// What the sums of the rows are to be, and how far off they may be.
struct Sums {
  HostMatrix<double> expected, bound;
};

Outcome row_sum_outcome(const ch08::RowCase& c, const HostMatrix<float>& values, const Sums& sums) {
  Guarded<float> in = ch08::row_image(c, values),
                 out = ch08::result_image<float>(static_cast<std::size_t>(c.rows));
  const Guarded<float> in_before = in, out_before = out;
  const std::string text = c.text();
  Outcome run = run_on_device(
      {.same_bits = true, .most_launches = 1}, text,
      [](cudaStream_t stream, MatrixView<float> from, MatrixView<float> to) {
        sum_over_cluster(from, ch08::span_of(to), stream);
      },
      in, out);
  if (!run.ok) return run;
  return first_failure({compare(out.cview(), sums.expected, sums.bound,
                                {.name = "out", .shape = text, .pattern = {}}),
                        only_inside_changed(out_before, out, "out", text, true),
                        nothing_changed(in_before, in, "in", text)});
}

Outcome row_sum_outcome(const ch08::RowCase& c, const HostMatrix<float>& values, bool exact) {
  const auto sum_of = [&](int r, const auto& of) {
    double sum = 0;
    for (int j = 0; j < c.cols; ++j) sum += of(static_cast<double>(values(r, j)));
    return sum;
  };
  return row_sum_outcome(
      c, values,
      {make_matrix<double>(1, c.rows,
                           [&](int, int r) { return sum_of(r, [](double v) { return v; }); }),
       make_matrix<double>(1, c.rows, [&](int, int r) {
         return exact ? 0.0 : (c.cols / 1024.0 + 16) * 0x1p-24 * sum_of(r, [](double v) {
                                return std::abs(v);
                              });
       })});
}

/// Of the columns of each rank one holds a number, the others 0: so each part is exact, in whatever
/// order a block adds, and a sum tells by its bits whose columns were added together, and in which
/// order the parts.
Outcome ordered_parts_outcome(const ch08::RowCase& c) {
  auto values = make_matrix<float>(c.rows, c.cols, [](int, int) { return 0.0f; });
  std::vector<float> sums(static_cast<std::size_t>(c.rows));
  for (int r = 0; r < c.rows; ++r) {
    for (int rank = 0; rank < CLUSTER; ++rank) {
      const auto index = static_cast<std::uint64_t>(r) * CLUSTER + rank;
      const int rounds = c.cols / (CLUSTER * THREADS);  // whole ones
      const int round = static_cast<int>(drawn_bits(1, index) % static_cast<unsigned>(rounds));
      const int thread = static_cast<int>(drawn_bits(2, index) % THREADS);
      const float part = random_uniform(3, index);
      values(r, (round * CLUSTER + rank) * THREADS + thread) = part;
      sums[static_cast<std::size_t>(r)] += part;
    }
  }
  return row_sum_outcome(
      c, values,
      {make_matrix<double>(
           1, c.rows,
           [&](int, int r) { return static_cast<double>(sums[static_cast<std::size_t>(r)]); }),
       make_matrix<double>(1, c.rows, [](int, int) { return 0.0; })});
}

}  // namespace

TEST_CASE("sum_over_cluster of rows of any length") {
  if (!can_run("sum_over_cluster")) return;
  expect(ch08::for_each_case(ch08::row_cases(10000), [](const ch08::RowCase& c) {
    return row_sum_outcome(c, ch08::uniform_rows(c, 1), false);
  }));
}

TEST_CASE("sum_over_cluster counts each element once") {
  if (!can_run("sum_over_cluster")) return;
  for (const int cols : {1, 255, 256, 257, 1023, 1024, 1025, 3001}) {
    const ch08::RowCase c{3, cols, 1, 64};
    HostMatrix<float> values(c.rows, cols);
    fill_small_integers(values, static_cast<std::uint64_t>(cols), 8);
    expect(row_sum_outcome(c, values, true));
  }
}

TEST_CASE("sum_over_cluster adds each rank's columns, and the parts in the order of the ranks") {
  if (!can_run("sum_over_cluster")) return;
  for (const int cols : {1024, 3001, 4096, 10000}) {
    const ch08::RowCase c{40, cols, 1, 64};
    expect(ordered_parts_outcome(c));
  }
}

TEST_CASE("sum_over_cluster refuses another length and rows of nothing") {
  if (!can_run("sum_over_cluster")) return;
  const DeviceMatrix<float> in(3, 4);
  const DeviceBuffer<float> out(4);
  const float* data = in.cview().data;
  CHECK_THROWS_AS(sum_over_cluster(in.cview(), {out.data(), 4}), std::invalid_argument);
  CHECK_THROWS_AS(sum_over_cluster(in.cview(), {out.data(), 2}), std::invalid_argument);
  CHECK_THROWS_AS(sum_over_cluster({data, 3, 0, 4}, {out.data(), 3}), std::invalid_argument);
  CHECK_THROWS_AS(sum_over_cluster({data, 0, 4, 4}, {out.data(), 0}), std::invalid_argument);
  CHECK_THROWS_AS(sum_over_cluster({data, 3, 4, 3}, {out.data(), 3}), std::invalid_argument);
  expect(other_devices_outcome([&] { sum_over_cluster(in.cview(), {out.data(), 3}); }));
}

TEST_CASE("budget") {
  if (!can_run("sum_over_cluster")) return;
  const ch08::RowCase c{16, 4096, 0, 0};
  expect_budget("sum_over_cluster", 4.0 * c.rows * c.cols + 32.0 * c.rows,
                [&] { return row_sum_outcome(c, ch08::uniform_rows(c, 5), false); });
}

}  // namespace tut::ch11
