#pragma once

#include <cstdint>

#include "tut/matrix/matrix_view.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch02 {

/// Columns of one panel that pack_b_pairs makes.
constexpr int pair_panel_cols = 16;

/// Floats that the panels of a B (depth, cols) take.
constexpr std::int64_t pair_panels_size(int depth, int cols) {
  return std::int64_t{round_up(depth, 2)} * round_up(cols, pair_panel_cols);
}

/// Packs B into panels for instructions that multiply pairs: they take two successive k of a column
/// at once, as AVX-512's BF16 dot product and the tensor cores of later chapters do.
///
/// Panel p holds columns 16 p to 16 p + 15 and takes 16 * round_up(depth, 2) floats; the panels
/// follow each other. Within a panel, element (k, j), j counted from the panel's first column, is
/// at
///
///     (k / 2) * 32 + j * 2 + k % 2
///
/// so the rows come in pairs, and the two elements of a column in a pair are neighbours. What lies
/// outside of B, a last odd row or missing columns, is 0. An element stays what it is, -0 too.
///
/// @param b       (depth, cols), row-major, any stride, at least 1x1
/// @param panels  pair_panels_size(depth, cols) floats, at most 10^9, all of them written
/// @throws std::invalid_argument  if a size of B is below 1, or its stride below its row
///
/// Cost: no FLOPs; in the worked solution 4 depth cols bytes read, as many written, and the
/// padding. Source: oneDNN's "vnni" packing; Intel, Intrinsics Guide, _mm512_dpbf16_ps.
void pack_b_pairs(MatrixView<const float> b, float* panels);

}  // namespace tut::ch02
