/// \file
/// How a long array is dealt to blocks: a stretch each, of whole tiles.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tut/numeric/math.hpp"

namespace tut::ch08 {

//! [stretches]
/// Threads of a block, loads of 16 bytes that each has under way at a time, and the elements that
/// this comes to: a tile.
inline constexpr int STRETCH_THREADS = 256, STRETCH_LOADS = 4;
inline constexpr std::size_t STRETCH_TILE = std::size_t{4} * STRETCH_LOADS * STRETCH_THREADS;

/// There are at most so many stretches: enough that every multiprocessor gets several, few enough
/// that each thread of the one block that combines their results has only eight of them to load.
inline constexpr std::size_t MAX_STRETCHES = 2048;

/// Elements of a stretch of an array of `size`: a multiple of the tile.
constexpr std::size_t stretch_length(std::size_t size) {
  const std::size_t tiles = ceil_div(size, STRETCH_TILE);
  return STRETCH_TILE * std::max<std::size_t>(ceil_div(tiles, MAX_STRETCHES), 1);
}

/// Stretches of an array of `size`, at least 1; the last one may be shorter.
constexpr std::size_t stretches(std::size_t size) {
  return std::max<std::size_t>(ceil_div(size, stretch_length(size)), 1);
}
//! [stretches]

}  // namespace tut::ch08
