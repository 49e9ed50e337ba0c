/// \file
/// Which elements of a product a thread of a warpgroup holds: index maps.
#pragma once

namespace tut::ch11 {

//! [sum_layout]
/// The row of sum i of a thread from 0 to 127, in the 64 rows of a warpgroup. A warp has 16 rows,
/// and of each 8 x 8 of them the layout that mma.sync has.
constexpr int row_of_sum(int thread, int i) {
  return thread / 32 * 16 + i / 2 % 2 * 8 + thread % 32 / 4;
}

/// Its column.
constexpr int col_of_sum(int thread, int i) { return i / 4 * 8 + thread % 4 * 2 + i % 2; }
//! [sum_layout]

}  // namespace tut::ch11
