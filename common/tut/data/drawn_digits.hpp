#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tut/data/dataset.hpp"

namespace tut::data {

inline constexpr int kDrawnSide = 28;

/// Draws `count` images of 28 x 28 pixels of the digits 0 to 9, image i showing the digit i % 10.
///
/// Each image picks one of several ways to write its digit, moves the pen's points, warps the
/// sheet, turns, shears, scales and shifts it, and inks it with a pen of random width and strength
/// on a noisy background. The images depend on `seed` and their number alone: they are the same on
/// every machine and for any number of threads, and the first n of a longer set are the set of n.
///
/// @param threads how many threads draw; 0 for all cores
Dataset draw_digits(std::size_t count, std::uint64_t seed, int threads = 0);

/// Draws image number `index` of the set of `seed` into `pixels`, (28, 28) row-major.
void draw_digit(std::uint64_t seed, std::uint64_t index, std::span<std::uint8_t> pixels);

}  // namespace tut::data
