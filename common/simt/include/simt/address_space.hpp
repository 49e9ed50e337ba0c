/// @file
/// Which memory a pointer leads to, and shared-memory addresses as the small integers that PTX
/// instructions take: offsets into the running block's shared memory, or into that of another block
/// of its cluster, whose rank stands above them.
/// Source: CUDA Programming Guide, "Address Space Predicate Functions", "Address Space Conversion
/// Functions".
#pragma once

#include <cstddef>

#include "simt/block.hpp"
#include "simt/cluster.hpp"

namespace simt::detail {
/// From which bit on an address in shared memory has the rank of its block in the cluster, plus
/// one; 0 there is the running block. No block has so much.
inline constexpr unsigned kRankBit = 24;
}  // namespace simt::detail

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
  const simt::detail::Block& block = *simt::detail::current_block;
  const auto offset =
      static_cast<std::size_t>(static_cast<const std::byte*>(p) - block.shared_memory);
  if (block.cluster == nullptr || offset >> simt::detail::kRankBit == 0) return offset;
  const unsigned rank = simt::rank_of_shared(p);
  return static_cast<std::size_t>(static_cast<const std::byte*>(p) - simt::shared_memory_of(rank)) +
         (std::size_t{rank + 1} << simt::detail::kRankBit);
}
inline void* __cvta_shared_to_generic(std::size_t address) {
  const simt::detail::Block& block = *simt::detail::current_block;
  const std::size_t rank = address >> simt::detail::kRankBit;
  if (block.cluster == nullptr || rank == 0) return block.shared_memory + address;
  return simt::shared_memory_of(static_cast<unsigned>(rank - 1)) +
         (address & ((std::size_t{1} << simt::detail::kRankBit) - 1));
}
inline std::size_t __cvta_generic_to_global(const void* p) {
  return reinterpret_cast<std::size_t>(p);
}
inline void* __cvta_global_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(address);
}
