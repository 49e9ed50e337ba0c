/// \file
/// Which k's and columns of its tiles matmul_3xtf32 takes for those of mma.sync.m16n8k8, and where
/// they lie in shared memory.
#pragma once

namespace tut::ch12::split_tiles {

/// Products that a stage's 16 k's are.
inline constexpr int PRODUCTS = 2;

//! [numbering]
/// The k of a stage, 0 to 15, that product p, 0 or 1, has as its k, 0 to 7. A lane's four, t and
/// t + 4 of both products, are neighbours.
constexpr int k_of(int p, int k) { return k % 4 * 4 + 2 * p + k / 4; }

/// The column, 0 to 15, that a fragment has as its m. A lane's two, g and g + 8, are neighbours.
constexpr int column_of(int m) { return m % 8 * 2 + m / 8; }

/// Where column `col` of row k lies in a tile of B: groups of eight columns change places.
constexpr int swizzled_column(int k, int col) { return col ^ (k / 4 * 8); }
//! [numbering]

}  // namespace tut::ch12::split_tiles
