/// \file
/// Index maps of this chapter: where the lanes of a warp stand, and in which order blocks go.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch07 {

/// A place in a grid: of lanes in a warp, or of tiles in C.
struct Place {
  int row, col;
  constexpr bool operator==(const Place&) const = default;
};

//! [lane_place]
/// Where a lane stands in a warp of 32 / LANES_N rows of LANES_N lanes. Lanes 0 and 1 stand one
/// above the other, lanes 0 and 2 side by side, and so on in pairs: a 16-byte read of shared memory
/// then finds partners with the same address, and half a warp is served in one pass.
template <int LANES_N>
__host__ __device__ constexpr Place lane_place(int lane) {
  static_assert(LANES_N == 4 || LANES_N == 8, "a warp is 8 x 4 or 4 x 8 lanes");
  return {lane / (2 * LANES_N) * 2 + lane % 2, lane / 2 % LANES_N};
}
//! [lane_place]

//! [tile_place]
/// The tile of C that a block computes, if there are tiles_m x tiles_n: down groups of `group` rows
/// of tiles, so that blocks that run at the same time share rows of A and columns of B.
__host__ __device__ constexpr Place tile_place(int block, int tiles_m, int tiles_n, int group) {
  const int first = block / (group * tiles_n) * group;  // the group's first row
  const int left = tiles_m - first;
  const int height = left < group ? left : group;
  const int within = block % (group * tiles_n);
  return {first + within % height, within / height};
}
//! [tile_place]

}  // namespace tut::ch07
