/// \file
/// Memory that a copy, a fill or a library's call uses, as the host issues them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "timelines.hpp"

namespace simt::inspect {

/// `rows` stretches of `width` bytes, `pitch` bytes apart.
struct RangeUse {
  std::uintptr_t begin;
  std::size_t width;
  std::size_t rows;
  std::size_t pitch;
  bool writes;
  const char* by;  ///< "a copy", or the library's kernel
  Operation operation;

  std::uintptr_t end() const { return begin + (rows - 1) * pitch + width; }

  bool touches(std::uintptr_t address, std::size_t size) const {
    if (address >= end() || address + size <= begin) return false;
    if (address <= begin || rows == 1) return true;
    const std::size_t offset = (address - begin) % pitch;
    return offset < width || offset + size > pitch;
  }

  /// Would using [address, address + size) beside it be a race?
  bool conflicts(std::uintptr_t address, std::size_t size, bool other_writes) const {
    return (writes || other_writes) && touches(address, size);
  }

  /// Where it and another use that is a race beside it first meet; 0 if they do not.
  std::uintptr_t meets(const RangeUse& other) const {
    if (!writes && !other.writes) return 0;
    if (begin >= other.end() || other.begin >= end()) return 0;
    if (rows > other.rows) return other.meets(*this);
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uintptr_t at = begin + row * pitch;
      if (other.touches(at, width)) return std::max(at, other.begin);
    }
    return 0;
  }

  /// The same memory in the same way: of two in one timeline the later one says it all.
  bool replaces(const RangeUse& other) const {
    return begin == other.begin && width == other.width && rows == other.rows &&
           pitch == other.pitch && writes == other.writes &&
           operation.timeline == other.operation.timeline;
  }
};

}  // namespace simt::inspect
