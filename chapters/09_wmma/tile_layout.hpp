/// \file
/// How the tiles of chapter 09 lie in shared memory, and which thread copies what of them.
#pragma once

namespace tut::ch09 {

/// Rows, columns and depth of the product that a warp computes with one mma_sync.
inline constexpr int TILE = 16;
/// Elements between rows of a staged tile of 16 x 16. What is read or written at a time then lies
/// in 32 different banks: 8 rows of 16 bytes of 16-bit factors, 4 rows of 32 bytes of a float sum.
inline constexpr int STAGE_STRIDE = 24;

/// Elements of 16 bits that one vector of 16 bytes holds.
inline constexpr int CHUNK = 8;
/// Elements that lengthen the row of a tile: 16 bytes, so that 8 rows of 16 bytes lie in 32 banks.
inline constexpr int PAD = 8;

//! [chunk_place]
/// The chunk of a tile that copy number `index` takes: its row and first column.
struct ChunkPlace {
  int row, col;
  constexpr bool operator==(const ChunkPlace&) const = default;
};

/// Eight threads in turn take the 8 chunks of a row, or where a row has fewer the same chunk of 8
/// rows: either way their 8 stores of 16 bytes go to 32 different banks of a padded tile.
template <int COLS>
constexpr ChunkPlace chunk_place(unsigned index) {
  constexpr unsigned PER_ROW = COLS / CHUNK;
  const unsigned along_row = PER_ROW >= 8 ? index % PER_ROW : index / 8 % PER_ROW;
  const unsigned row = PER_ROW >= 8 ? index / PER_ROW : index / (8 * PER_ROW) * 8 + index % 8;
  return {static_cast<int>(row), static_cast<int>(along_row * CHUNK)};
}
//! [chunk_place]

}  // namespace tut::ch09
