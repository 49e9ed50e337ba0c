#pragma once

namespace tut::ch16 {

/// How many rows of `width` pixels a block of threads takes: the most that divide `height` within
/// 256 threads, and at least one. Blocks then cover the plane exactly.
constexpr int rows_per_block(int height, int width) {
  int rows = 1;
  for (int r = 2; r <= height && r * width <= 256; ++r) {
    if (height % r == 0) rows = r;
  }
  return rows;
}

}  // namespace tut::ch16
