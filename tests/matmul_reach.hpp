/// \file
/// Products whose C is larger than a test can run each time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "tut/numeric/math.hpp"
#include "tut/testing/matmul_battery.hpp"
#include "tut/testing/matmul_test.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut {

/// The most rows that contracts allow where rows are counted in a grid's y: 65535 blocks of 8.
inline constexpr int kMostRows = 65535 * 8;

/// Products of a column and a row, all dense, that `function` has to take: C has `cols` columns, or
/// kMostRows rows, or more elements than 32 bits count, with and without a sign. They are recorded,
/// and the first and the last blocks run (grid_reach_outcome): these have to write to the last row
/// of the C that is large. `tried`: the longest C that other cases have; `values` judges a longer
/// one, of a single row or column, where a grid has stopped growing.
inline Outcome matmul_reach_outcome(const DeviceMatmul<float, float>& function, int tried,
                                    const std::function<Outcome(const MatmulShape&)>& values,
                                    int cols = kLongSize) {
  constexpr int kSide = 70'000, kParts = 4;  // of its elements an int can count a quarter
  const LongBuffer<float> a, b, c(std::size_t{kSide} * kSide);
  const auto multiply = [&](cudaStream_t stream, int m, int n) {
    function({a.data(), m, 1, 1}, {b.data(), 1, n, n}, {c.data(), m, n, n}, stream);
  };
  const auto wide = [&](cudaStream_t stream, int n) { multiply(stream, 1, n); };
  const auto high = [&](cudaStream_t stream, int m) { multiply(stream, m, 1); };
  const auto large = [&](cudaStream_t stream, int quarter) {
    multiply(stream, ceil_div(quarter, kSide / kParts), kSide);
  };
  const auto wide_values = [&](int n) { return values({1, n, 2}); };
  const auto high_values = [&](int m) { return values({m, 1, 2}); };
  const auto not_run = [](int) { return Outcome{}; };
  const auto ends = [&](int size) {
    return MarkedParts("C", c.data(), static_cast<std::size_t>(size));
  };
  Outcome outcome =
      grid_reach_outcome({wide, "columns of C"}, wide_values, tried, ends(cols), cols);
  if (outcome.ok) {
    outcome =
        grid_reach_outcome({high, "rows of C"}, high_values, tried, ends(kMostRows), kMostRows);
  }
  for (const int rows : {kSide / 2, kSide}) {  // beyond an int, and beyond 32 bits
    if (!outcome.ok || has_failed()) break;
    MarkedParts last;
    last.add(
        "the last row of C, of " + std::to_string(rows) + "x1 * 1x" + std::to_string(kSide) + ",",
        c.data() + (std::int64_t{rows} - 1) * kSide, kSide);
    outcome = grid_reach_outcome({large, "times 4 elements of C"}, not_run, tried, last,
                                 kSide / kParts * rows);
  }
  return outcome;
}

}  // namespace tut
