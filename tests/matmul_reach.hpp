/// \file
/// Products whose C is larger than a test can run each time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tut/grid_reach.hpp"
#include "tut/math.hpp"
#include "tut/matmul_battery.hpp"
#include "tut/matmul_test.hpp"

namespace tut {

namespace detail {

/// The last row of a large C, on the CPU backend: marked as unwritten, until somebody writes to it.
class LastRow {
 public:
  /// C is dense, and has so many columns; `end` is where it ends.
  LastRow(float* end, int cols) : row_(end - cols), cols_(static_cast<std::size_t>(cols)) {
    if (simt_run_ends == nullptr) return;  // no such memory
    const std::vector<float> marks(cols_, unwritten_value<float>());
    check(cudaMemcpy(row_, marks.data(), cols_ * sizeof(float), cudaMemcpyHostToDevice));
  }

  /// Fails if nobody has written to it.
  Outcome is_written(const std::string& text) const {
    std::vector<float> values(cols_);
    check(cudaMemcpy(values.data(), row_, cols_ * sizeof(float), cudaMemcpyDeviceToHost));
    const auto is_mark = [](float value) { return is_unwritten(value); };
    if (!std::ranges::all_of(values, is_mark)) return {};
    return failure("values",
                   "the last row of C was never written by the first and the last blocks (" + text +
                       "): are its elements counted in 64 bits?");
  }

 private:
  float* row_;
  std::size_t cols_;
};

}  // namespace detail

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
  Outcome outcome = grid_reach_outcome(wide, wide_values, tried, cols);
  if (outcome.ok) outcome = grid_reach_outcome(high, high_values, tried, kMostRows);
  for (const int rows : {kSide / 2, kSide}) {  // beyond an int, and beyond 32 bits
    if (!outcome.ok || has_failed()) break;
    const detail::LastRow last(c.data() + std::int64_t{rows} * kSide, kSide);
    const std::string text = std::to_string(rows) + "x1 * 1x" + std::to_string(kSide);
    outcome = grid_reach_outcome(large, not_run, tried, kSide / kParts * rows,
                                 [&] { return last.is_written(text); });
  }
  return outcome;
}

}  // namespace tut
