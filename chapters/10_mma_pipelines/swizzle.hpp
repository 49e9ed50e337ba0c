/// \file
/// Where the chunks of a swizzled tile lie in shared memory, and in which order blocks take the
/// tiles of C: index maps.
#pragma once

#include <cstdint>

namespace tut::ch10 {

/// Elements of 16 bits in a chunk of 16 bytes: what a thread copies, and a row of ldmatrix.
inline constexpr int CHUNK = 8;

//! [swizzled]
/// Where element (row, col) of a tile of COLS columns lies in it, in elements. The 8 chunks that
/// share a line of 128 bytes change places: chunk c of row r lies where chunk c ^ (r % 8) would.
template <int COLS>
constexpr int swizzled(int row, int col) {
  static_assert(COLS % 64 == 0, "a row is made of whole lines of 128 bytes");
  return row * COLS + ((col / CHUNK) ^ (row % 8)) * CHUNK + col % CHUNK;
}
//! [swizzled]

/// A block's tile of C, counted in tiles.
struct BlockPlace {
  std::int64_t row, col;
  constexpr bool operator==(const BlockPlace&) const = default;
};

//! [block_place]
/// The tile that block number `index` computes, of `rows` x `cols` tiles. Blocks go down 16 rows of
/// tiles, or what is left, before they go on to the next column: those that run at the same time
/// then have few rows of A and few columns of B, which stay in the L2 cache.
constexpr BlockPlace block_place(std::int64_t index, std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t GROUP = 16;
  const std::int64_t first = index / (GROUP * cols) * GROUP;  // of the group's rows
  const std::int64_t height = rows - first < GROUP ? rows - first : GROUP;
  const std::int64_t within = index - first * cols;
  return {first + within % height, within / height};
}
//! [block_place]

}  // namespace tut::ch10
