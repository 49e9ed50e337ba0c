/// \file
/// What a host function meets in variables that it has not set.
#pragma once

#include <array>
#include <cstddef>

namespace tut {

/// Leaves NaN below the caller's frame, where the function that is called next keeps its variables:
/// of an array that it declares without values and adds to, every result is NaN, and none is right
/// by chance.
[[gnu::noinline]] inline void spoil_stack() {
  constexpr std::size_t kBytes = 64 * 1024;
  std::array<unsigned char, kBytes> below;
  below.fill(0xFF);                                       // as float or double: NaN
  __asm__ volatile("" : : "r"(below.data()) : "memory");  // the compiler may not leave it out
}

}  // namespace tut
