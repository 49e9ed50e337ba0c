#include "08_reductions/scan_rows.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "reduction_case.hpp"

namespace tut::ch08 {
namespace {

Outcome scan_rows_outcome(const RowCase& c) {
  const auto value = [](int row, int col) {
    const auto index = static_cast<std::uint64_t>(row) << 32 | static_cast<unsigned>(col);
    return static_cast<int>((drawn_bits(9, index) >> 32) % 2001) - 1000;
  };
  Guarded<int> in(c.rows, c.cols, c.cols + c.gap, c.guard), out = in;
  for (int r = 0; r < c.rows; ++r) {
    for (int col = 0; col < c.cols; ++col) in.view()(r, col) = value(r, col);
  }
  const Guarded<int> in_before = in, out_before = out;
  Outcome run = run_on_device(
      ONE_LAUNCH, c.text(),
      [](cudaStream_t stream, MatrixView<int> from, MatrixView<int> to) {
        scan_rows(from, to, stream);
      },
      in, out);
  if (!run.ok) return run;
  int sum = 0;
  const auto expected = make_matrix<double>(c.rows, c.cols, [&](int r, int col) {
    return static_cast<double>(sum = col == 0 ? value(r, 0) : sum + value(r, col));
  });
  const auto exact = make_matrix<double>(c.rows, c.cols, [](int, int) { return 0.0; });
  const CompareOptions options{
      .name = "out", .shape = c.text(), .is_vector = false, .pattern = {}, .probe = {}};
  return first_failure({compare(out.cview(), expected, exact, options),
                        only_inside_changed(out_before, out, "out", c.text()),
                        nothing_changed(in_before, in, "in", c.text())});
}

}  // namespace

TEST_CASE("scan_rows of rows of any length") {
  expect(for_each_case(row_cases(30000), scan_rows_outcome));
}

TEST_CASE("scan_rows refuses matrices of different shapes") {
  const DeviceBuffer<int> memory(64);
  const MatrixView<const int> in{memory.data(), 4, 4, 4};
  CHECK_THROWS_AS(scan_rows(in, {memory.data() + 32, 4, 5, 5}), std::invalid_argument);
  CHECK_THROWS_AS(scan_rows(in, {memory.data() + 32, 5, 4, 4}), std::invalid_argument);
}

}  // namespace tut::ch08
