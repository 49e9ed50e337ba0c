/// \file
/// What the first steps of the ladder share: a sum in levels, each of them a launch.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>
#include <string>

#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch08 {

/// Elements that a block of sum_shared and of sum_warp adds up, one a thread.
inline constexpr std::size_t SUM_BLOCK = 256;

/// Floats of scratch memory that sum_shared and sum_warp need: the sums of all levels but the last.
constexpr std::size_t sum_levels_scratch(std::size_t size) {
  std::size_t floats = 0;
  while (size > SUM_BLOCK) {
    size = ceil_div(size, SUM_BLOCK);
    floats += size;
  }
  return floats;
}

/// Throws std::invalid_argument unless there is a place for the result, and scratch memory enough.
template <class T, class U>
void require_reduction(std::span<const T> in, std::size_t scratch, std::size_t expected,
                       const U* out, const SourceLocation& where = SourceLocation::current()) {
  require(in.empty() || in.data() != nullptr, "the input has no data (a null pointer)", where);
  require(out != nullptr, "the result has no memory (a null pointer)", where);
  require(scratch >= expected,
          {"the scratch memory has ", scratch, " elements; expected at least ", expected,
           " for an input of ", in.size()},
          where);
}

/// `launch(in, sums)` adds up every SUM_BLOCK elements of `in`. Repeats it until one sum is left.
template <class Launch>
void sum_levels(std::span<const float> in, std::span<float> scratch, float* out, Launch launch) {
  require_reduction(in, scratch.size(), sum_levels_scratch(in.size()), out);
  //! [levels]
  while (in.size() > SUM_BLOCK) {
    const std::size_t blocks = ceil_div(in.size(), SUM_BLOCK);
    launch(in, scratch.data());
    in = scratch.first(blocks);
    scratch = scratch.subspan(blocks);
  }
  launch(in, out);
  //! [levels]
}

}  // namespace tut::ch08
