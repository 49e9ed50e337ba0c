/// \file
/// Tiles of images of any size, in shared memory with the padding's zeros: what conv2d_tiles and
/// the gradients beside it have in common.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <type_traits>

#include "13_convolution/conv2d_tiles.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch13 {

inline constexpr int TILE_COLS = 16;

/// How a side of an image is cut: so many tiles of `size`.
struct TileSide {
  int tiles, size;
};

/// The fewest tiles of at most `most`, as equal as multiples of `unit` allow.
constexpr TileSide tile_side(int side, int most, int unit) {
  const int tiles = ceil_div(side, most);
  return {tiles, round_up(ceil_div(side, tiles), unit)};
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
