/// @file
/// What a `__shared__` declaration becomes: a place in the block's shared memory.
#ifndef SIMT_SHARED_MEMORY_HPP
#define SIMT_SHARED_MEMORY_HPP

#include <cstddef>
#include <type_traits>

#include "simt/block.hpp"
#include "simt/kernel_info.hpp"
#include "simt/naming.hpp"

namespace simt {

namespace detail {

/// One address for each type, to tell declarations apart.
template <class T>
inline constexpr char shared_site = 0;

/// Gives a declaration its place, at its first use in a block, filled with 0xFF. It counts as
/// `counted` bytes of what a block may have.
std::byte* place_shared(Block& block, const void* site, std::size_t size, std::size_t alignment,
                        std::size_t counted);

/// The owner of what a GPU keeps elsewhere: it takes nothing from a block.
struct NotCounted {};

/// Fills dynamic shared memory with 0xFF, at its first use in a block.
void fill_dynamic_shared(Block& block);

}  // namespace detail

/// The block's instance of T. Every declaration has a type of its own, so that T names the
/// declaration; it is uninitialised memory in CUDA and holds 0xFF bytes here. `Owner` tells the
/// kernel whose own declaration it is (see `detail::declared_shared`).
template <class T, class Owner = void>
T& shared() {
  constexpr bool counts = !std::is_same_v<Owner, detail::NotCounted>;
  if constexpr (counts && !std::is_void_v<Owner>) {
    static_cast<void>(&detail::declared_shared<T, Owner>);
  }
  detail::Block& block = *detail::current_block;
  const void* site = &detail::shared_site<T>;
  for (unsigned i = 0; i < block.shared_count; ++i) {
    if (block.shared_slots[i].site == site) {
      return *reinterpret_cast<T*>(block.shared_slots[i].address);
    }
  }
  T& placed = *reinterpret_cast<T*>(
      detail::place_shared(block, site, sizeof(T), alignof(T), counts ? sizeof(T) : 0));
  if constexpr (requires { T::simt_name(placed); }) T::simt_name(placed);
  return placed;
}

/// The memory of `extern __shared__` arrays: as large as the launch asked for, aligned to 1024.
inline void* dynamic_shared() {
  detail::Block& block = *detail::current_block;
  if (!block.dynamic_filled) detail::fill_dynamic_shared(block);
  return block.shared_memory;
}

}  // namespace simt

#endif
