/// \file
/// How conv2d_tiles and the weights' gradient beside it cut images into work for threads: a thread
/// has a strip of four neighbouring pixels, and reads what lies under them 16 bytes at a time.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <type_traits>

#include "13_convolution/conv2d_tiles.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {

inline constexpr int STRIP = 4;         // pixels of a thread, neighbours in a row
inline constexpr int BANK = 8;          // filters of a thread
inline constexpr int MOST_STRIPS = 16;  // of a row of a tile

/// How rows of pixels are cut: `tiles` tiles of `strips` strips.
struct RowCut {
  int strips, tiles;
};

/// The fewest tiles, as equal as whole strips allow.
constexpr RowCut cut_row(int width) {
  const int strips = ceil_div(width, STRIP);
  const int of_tile = ceil_div(strips, ceil_div(strips, MOST_STRIPS));
  return {of_tile, ceil_div(strips, of_tile)};
}

/// Columns of a staged row: what lies under its strips and, right of them, under the rest of the
/// filters, in whole groups of four.
constexpr int staged_columns(int strips, int side) {
  return STRIP * strips + (side > 1 ? STRIP : 0);
}

/// How far apart rows begin in shared memory. Eight neighbouring strips, the lanes that share a
/// pass over the banks, must not meet in a bank. In one row they cannot; where they continue in the
/// next row, they do not if that begins where the strips of this one end, modulo all 32 banks.
/// Short rows are not worth the room.
constexpr int staged_pitch(int strips, int side) {
  constexpr int banks = 32;
  return side > 1 && strips >= 6 ? STRIP * strips + banks : staged_columns(strips, side);
}

/// Throws std::invalid_argument unless has_tiles.
inline void require_tiles(const ConvolutionShape& s) {
  if (has_tiles(s)) return;
  require(false,
          {"the layer has stride ", s.stride, ", filters of side ", s.f, " and a batch of ", s.n,
           "; expected stride 1, side 1, 3 or 5, and at most 65535 images, filters "
           "and channels"});
}

/// Calls visit(std::integral_constant<int, side>) for a side that has tiles.
template <class Visit>
void visit_side(int side, Visit visit) {
  switch (side) {
    case 1:
      return visit(std::integral_constant<int, 1>{});
    case 3:
      return visit(std::integral_constant<int, 3>{});
    case 5:
      return visit(std::integral_constant<int, 5>{});
  }
}

}  // namespace tut::ch13
