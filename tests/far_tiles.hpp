/// \file
/// Products of whole tiles: in rows that lie far apart, and of more tiles than a grid has blocks in
/// y. A kernel may have a way of its own for them, with its own indices and its own grid.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tut/numeric/math.hpp"
#include "tut/testing/matmul_test.hpp"
#include "tut/trial/far_case.hpp"
#include "tut/trial/grid_reach.hpp"

namespace tut {

/// Whole tiles in rows that lie far apart, of one matrix after the other (kFarWholeStride).
inline Outcome far_tiles_outcome(const DeviceMatmul<float, float>& matmul) {
  for (const char far : {'A', 'B', 'C'}) {
    const MatmulShape shape =
        far == 'B' ? MatmulShape{64, 64, kFarWholeRows} : MatmulShape{kFarWholeRows, 64, 32};
    Outcome outcome = detail::far_matrix_outcome(matmul, {}, shape, far, kFarWholeStride);
    if (!outcome.ok) return outcome;
  }
  return {};
}

/// Dense products of whole tiles of 128 x 128 or less, with up to 2^25 columns, and up to as many
/// rows as contracts allow: recorded, and the first and the last blocks run (grid_reach_outcome).
/// `result`: what the contract calls C.
inline Outcome many_tiles_outcome(const DeviceMatmul<float, float>& matmul,
                                  const std::string& result = "C") {
  constexpr int kTile = 128, kDepth = 64, kCols = 1 << 25, kRows = 65535 * 8 / kTile * kTile;
  const LongBuffer<float> a(std::size_t{kRows} * kDepth), b(std::size_t{kDepth} * kCols),
      c(std::size_t{kTile} * kCols);
  const auto multiply = [&](cudaStream_t stream, int m, int n) {
    matmul({a.data(), m, kDepth, kDepth}, {b.data(), kDepth, n, n}, {c.data(), m, n, n}, stream);
  };
  const auto wide = [&](cudaStream_t stream, int n) {
    multiply(stream, kTile, round_up(n, kTile));
  };
  const auto high = [&](cudaStream_t stream, int m) {
    multiply(stream, round_up(m, kTile), kTile);
  };
  const auto not_run = [](int) { return Outcome{}; };
  // Of the memory of C, whose first and last rows may come out turned (rotate_tiled).
  const auto ends = [&](std::int64_t size, std::size_t row) {
    MarkedParts parts;
    parts.add("the beginning of " + result, c.data(), row);
    parts.add("the end of " + result, c.data() + (kTile * size - static_cast<std::int64_t>(row)),
              row);
    return parts;
  };
  Outcome outcome =
      grid_reach_outcome({wide, "columns of C"}, not_run, 0, ends(kCols, kTile), kCols);
  if (!outcome.ok) return outcome;
  return grid_reach_outcome({high, "rows of C"}, not_run, 0, ends(kRows, kRows), kRows);
}

}  // namespace tut
