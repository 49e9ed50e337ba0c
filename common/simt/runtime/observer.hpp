/// @file
/// What check mode and count mode see of the runtime. In run mode there is no observer, and asking
/// for it costs one load where something rare happens.
#ifndef SIMT_RUNTIME_OBSERVER_HPP
#define SIMT_RUNTIME_OBSERVER_HPP

#include <cstddef>
#include <cstdint>

namespace simt::detail {

struct Block;
struct Job;
struct MemoryRange;

class Observer {
 public:
  virtual ~Observer() = default;

  virtual void launch_begins(const Job& job) = 0;
  virtual void launch_ends(const Job& job) = 0;
  virtual void block_begins(Block& block) = 0;
  virtual void block_ends(const Block& block) = 0;

  /// All threads of the block have come to `__syncthreads()`, or ended.
  virtual void block_synchronised(const Block& block) = 0;

  /// The lanes `arrived` of a warp have met.
  virtual void warp_synchronised(const Block& block, unsigned warp, unsigned arrived) = 0;

  virtual void allocated(const MemoryRange& range) = 0;
  virtual void freed(const MemoryRange& range) = 0;

  /// The runtime wrote to memory, for the host: a copy, a fill.
  virtual void written(const void* address, std::size_t size) = 0;
  /// The runtime read memory, for the host.
  virtual void read(const void* address, std::size_t size) = 0;

  /// A `__shared__` declaration got its place in a block; `dynamic` memory has no name.
  virtual void placed_shared(const Block& block, const std::byte* address, std::size_t size) = 0;
};

/// Made by the library that watches, when it is part of the program.
extern "C" [[gnu::weak]] Observer* simt_make_observer();

/// The observer, or null in run mode.
inline Observer* observer() {
  static Observer* const found = simt_make_observer != nullptr ? simt_make_observer() : nullptr;
  return found;
}

}  // namespace simt::detail

#endif
