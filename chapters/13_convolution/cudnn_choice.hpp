/// \file
/// Which of the algorithms that cuDNN has tried is taken. It knows cuDNN's entries by their
/// members, and compiles without it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tut::ch13 {

/// The first, and so the fastest, of the entries that ran, take at most `most_memory` bytes of
/// workspace and use one of the kinds of arithmetic `allowed`; null if there is none.
template <class Performance, class Status, class MathType>
const Performance* fastest_of(std::span<Performance> found, Status success,
                              const std::vector<MathType>& allowed, std::size_t most_memory) {
  const auto fits = [&](const Performance& entry) {
    return entry.status == success && entry.memory <= most_memory &&
           std::ranges::find(allowed, entry.mathType) != allowed.end();
  };
  const auto first = std::ranges::find_if(found, fits);
  return first == found.end() ? nullptr : &*first;
}

}  // namespace tut::ch13
