/// \file
/// Products whose C is larger than a test can run each time.
#pragma once

#include <cstddef>
#include <functional>

#include "tut/grid_reach.hpp"
#include "tut/math.hpp"
#include "tut/matmul_battery.hpp"
#include "tut/matmul_test.hpp"

namespace tut {

/// Products of a column and a row, all dense, that `function` has to take: C has `cols` columns, or
/// 250,000 rows, more than a grid has blocks in y, or more elements than an int counts. They are
/// recorded, and the first and the last blocks run (grid_reach_outcome). `tried`: the longest C
/// that other cases have; `values` judges a longer one, of a single row or column, where a grid has
/// stopped growing.
inline Outcome matmul_reach_outcome(const DeviceMatmul<float, float>& function, int tried,
                                    const std::function<Outcome(const MatmulShape&)>& values,
                                    int cols = kLongSize) {
  constexpr int kCols = 35'000, kRows = 70'000, kLongRows = 250'000;
  const LongBuffer<float> a, b, c(std::size_t{kCols} * kRows);
  const auto multiply = [&](cudaStream_t stream, int m, int n) {
    function({a.data(), m, 1, 1}, {b.data(), 1, n, n}, {c.data(), m, n, n}, stream);
  };
  const auto wide = [&](cudaStream_t stream, int n) { multiply(stream, 1, n); };
  const auto high = [&](cudaStream_t stream, int m) { multiply(stream, m, 1); };
  // Half of its elements are as many as an int can count.
  const auto large = [&](cudaStream_t stream, int half) {
    multiply(stream, ceil_div(half, kCols / 2), kCols);
  };
  const auto wide_values = [&](int n) { return values({1, n, 2}); };
  const auto high_values = [&](int m) { return values({m, 1, 2}); };
  const auto not_run = [](int) { return Outcome{}; };
  Outcome outcome = grid_reach_outcome(wide, wide_values, tried, cols);
  if (outcome.ok) outcome = grid_reach_outcome(high, high_values, tried, kLongRows);
  if (outcome.ok) outcome = grid_reach_outcome(large, not_run, tried, kCols / 2 * kRows);
  return outcome;
}

}  // namespace tut
