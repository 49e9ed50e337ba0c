/// \file
/// What check mode knows of the memory that the runtime gives out: where it lies, who may use it,
/// and which bytes of it have been written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "memory.hpp"
#include "shadow.hpp"

namespace simt::inspect {

/// Memory that the program has to free, and the calls that allocated it, innermost first.
struct Allocation {
  std::size_t size = 0;
  bool pinned = false;
  std::vector<void*> calls;
  bool is_marked = false;         ///< see GlobalMemory::host_has_written()
  bool filled_by_host = false;    ///< some of it: by copies, fills, calls of libraries
  bool filled_by_kernel = false;  ///< a kernel was the first to write some of it
  /// Bytes at its beginning and at its end that may not be used.
  std::size_t before = 0, behind = 0;
};

/// Addresses below it are null pointers, with an offset.
inline constexpr std::uintptr_t kFirstPage = 4096;

class GlobalMemory {
 public:
  /// Where all of it lies; nothing before the first allocation.
  std::uintptr_t begin() const { return begin_; }
  std::size_t size() const { return size_; }
  bool covers(std::uintptr_t address) const { return address - begin_ < size_; }
  void cover(std::uintptr_t begin, std::size_t size);

  /// `calls`: those that the host is in; by a kernel, which no cudaFree frees, none.
  void allocated(const detail::MemoryRange& range, std::optional<std::vector<void*>> calls);
  void freed(const detail::MemoryRange& range);
  bool was_freed(std::uintptr_t address) const;

  /// Marks bytes at both ends of the allocation at `base` as out of bounds.
  void set_bounds(std::uintptr_t base, std::size_t before, std::size_t behind);

  /// The part of an allocation around an address that kernels may use; nothing if there is none.
  std::optional<detail::MemoryRange> usable_at(std::uintptr_t address) const;

  /// Does an access of so many bytes lie within such a part?
  bool in_bounds(std::uintptr_t address, std::size_t size);

  /// May the host use what lies in bounds there?
  bool is_for_host(std::uintptr_t address) const { return bounds_at(address).host; }

  /// What the host may free, by its address.
  const std::map<std::uintptr_t, Allocation>& allocations() const { return allocations_; }
  Allocation* allocation_at(std::uintptr_t address);

  void host_writes(std::uintptr_t address, std::size_t size);
  /// At most 16 bytes.
  void kernel_writes(std::uintptr_t address, unsigned size) {
    if (written_.first_unwritten(address, size) != size) first_write(address, size);
  }
  bool is_written(std::uintptr_t address) const {
    return written_.first_unwritten(address, 1) == 1;
  }

  /// The first of `size` bytes that should have been written and was not, or `size`.
  std::size_t first_unwritten(std::uintptr_t address, std::size_t size) {
    const std::size_t first = written_.first_unwritten_in(address, size);
    return first == size ? size : first_missing(address, size, first);
  }

 private:
  /// The bounds of the allocation that a page belongs to, for the pages used last.
  struct Bounds {
    std::uintptr_t page = 0;
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    bool host = false;  ///< the host may use it too
  };
  static constexpr std::size_t kBoundsCount = 256;
  static constexpr std::size_t kPage = 4096;

  const Bounds& bounds_at(std::uintptr_t address) const {
    return bounds_[address / kPage % kBoundsCount];
  }
  void forget_bounds();
  void first_write(std::uintptr_t address, unsigned size);
  std::size_t first_missing(std::uintptr_t address, std::size_t size, std::size_t first);
  bool is_zeros(std::uintptr_t address) const;
  bool host_has_written(std::uintptr_t address);

  std::uintptr_t begin_ = 0;
  std::size_t size_ = 0;
  WrittenBits written_;
  Bounds bounds_[kBoundsCount];
  std::map<std::uintptr_t, std::size_t> zeros_;  ///< memory that needs no writing, and its size
  std::map<std::uintptr_t, std::size_t> freed_;  ///< base and size
  std::map<std::uintptr_t, Allocation> allocations_;
};

}  // namespace simt::inspect
