#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tut/errors/require.hpp"

namespace tut::ch13 {

/// Throws std::invalid_argument unless `scratch` holds at least `size` floats.
inline void require_scratch(std::span<const float> scratch, std::size_t size,
                            const SourceLocation& where = SourceLocation::current()) {
  if (scratch.size() >= size && (scratch.data() != nullptr || size == 0)) return;
  require(false, {"the scratch memory holds ", scratch.size(), " floats; expected ", size}, where);
}

}  // namespace tut::ch13
