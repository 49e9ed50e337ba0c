#include "06_finding_kernel_bugs/delta_rows.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tut/budget.hpp"
#include "tut/device_matrix.hpp"
#include "vector_case.hpp"

namespace tut::ch06 {
namespace {

Outcome delta_outcome(int rows, int cols, bool dense) {
  Guarded<float> m(rows, cols, dense ? cols : cols + 3, dense ? 0 : 1024);
  HostMatrix<float> values(rows, cols);
  fill_uniform(values, 4);
  m.set(values);
  const Guarded<float> before = m;
  const std::string text = "m " + std::to_string(rows) + "x" + std::to_string(cols) + ", stride " +
                           std::to_string(m.stride());
  Outcome run = run_on_device(
      text, [](cudaStream_t stream, MatrixView<float> view) { delta_rows(view, stream); }, m);
  if (!run.ok) return run;
  const auto expected = make_matrix<double>(rows, cols, [&](int r, int c) {
    return static_cast<double>(c == 0 ? values(r, 0) : values(r, c) - values(r, c - 1));
  });
  const auto exact = make_matrix<double>(rows, cols, [](int, int) { return 0.0; });
  return first_failure({compare(m.cview(), expected, exact, {.name = "m", .shape = text}),
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
      expect(delta_outcome(rows, cols, dense));
    }
  }
}

TEST_CASE("delta_rows refuses what is no matrix") {
  CHECK_THROWS_AS(delta_rows({nullptr, 2, 3, 3}), std::invalid_argument);
}

TEST_CASE("budget") {
  constexpr int ROWS = 16, COLS = 512;
  DeviceMatrix<float> m(ROWS, COLS);
  expect_budget("delta_rows", 8.0 * ROWS * COLS, [&] { delta_rows(m.view()); });
}

}  // namespace tut::ch06
