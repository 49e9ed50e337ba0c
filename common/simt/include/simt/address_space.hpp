/// @file
/// Which memory a pointer leads to, and shared-memory addresses as the small integers that PTX
/// instructions take: offsets into the running block's shared memory.
/// Source: CUDA Programming Guide, "Address Space Predicate Functions", "Address Space Conversion
/// Functions".
#pragma once

#include <cstddef>

#include "simt/block.hpp"

inline unsigned __isShared(const void* p) {
  if (!simt::on_device()) return 0;
  const simt::detail::Block& block = *simt::detail::current_block;
  const std::size_t used =
      block.shared_used > block.dynamic_size ? block.shared_used : block.dynamic_size;
  const auto* byte = static_cast<const std::byte*>(p);
  return byte >= block.shared_memory && byte < block.shared_memory + used;
}
inline unsigned __isCtaShared(const void* p) { return __isShared(p); }

inline std::size_t __cvta_generic_to_shared(const void* p) {
  return static_cast<std::size_t>(static_cast<const std::byte*>(p) -
                                  simt::detail::current_block->shared_memory);
}
inline void* __cvta_shared_to_generic(std::size_t offset) {
  return simt::detail::current_block->shared_memory + offset;
}
inline std::size_t __cvta_generic_to_global(const void* p) {
  return reinterpret_cast<std::size_t>(p);
}
inline void* __cvta_global_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(address);
}
