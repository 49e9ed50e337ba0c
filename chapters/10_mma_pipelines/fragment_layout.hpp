/// \file
/// Which elements of its three matrices a lane holds for mma.sync.m16n8k16, as the PTX ISA says.
#pragma once

namespace tut::ch10 {

/// The product of one mma.sync: 16 x 16 of A times 16 x 8 of B.
inline constexpr int MMA_M = 16, MMA_N = 8, MMA_K = 16;

/// A place in a small matrix.
struct Place {
  int row, col;
  constexpr bool operator==(const Place&) const = default;
};

//! [places]
/// Where element i of a lane's fragment of A lies, i from 0 to 7: (row, k). A register holds
/// elements 2r and 2r + 1.
constexpr Place a_place(int lane, int i) {
  const int g = lane / 4, t = lane % 4;  // the lane's group of four, and its place in it
  return {g + i / 2 % 2 * 8, 2 * t + i % 2 + i / 4 * 8};
}

/// Of B, i from 0 to 3: (k, col).
constexpr Place b_place(int lane, int i) {
  const int g = lane / 4, t = lane % 4;
  return {2 * t + i % 2 + i / 2 * 8, g};
}

/// Of C and D, i from 0 to 3: (row, col). Each is a register of its own.
constexpr Place sum_place(int lane, int i) {
  const int g = lane / 4, t = lane % 4;
  return {g + i / 2 * 8, 2 * t + i % 2};
}
//! [places]

}  // namespace tut::ch10
