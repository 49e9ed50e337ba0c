/// @file
/// Cutting groups into smaller ones, and letting one thread act for a group.
/// Source: CUDA Programming Guide, "Cooperative Groups", sections "Group Partitioning" and
/// "Execution Control".
#pragma once

#include <bit>
#include <type_traits>
#include <utility>

#include "simt/cg/lanes.hpp"

namespace cooperative_groups {

/// The tile of kSize threads that this thread belongs to.
template <unsigned kSize, class Parent>
thread_block_tile<kSize, Parent> tiled_partition(const Parent& parent) {
  const auto threads = static_cast<unsigned>(parent.num_threads());
  return {static_cast<unsigned>(parent.thread_rank()) / kSize, (threads + kSize - 1) / kSize};
}

namespace detail {

/// Ends the kernel, as on a GPU, unless `size` is one that a tile can have at run time.
inline void require_tile_size(unsigned size) {
  if (!std::has_single_bit(size) || size > 32) simt::trap();
}

}  // namespace detail

/// The part of `size` neighbouring ranks of a group within a warp that this thread belongs to;
/// `size` is a power of two up to 32.
inline coalesced_group tiled_partition(const detail::lane_group& parent, unsigned size) {
  detail::require_tile_size(size);
  const unsigned part = parent.thread_rank() / size;
  unsigned mask = 0;
  for (unsigned rank = part * size; rank < (part + 1) * size && rank < parent.size(); ++rank) {
    const unsigned lane = detail::lane_of(parent.lane_mask(), rank);
    if (lane < 32) mask |= 1u << lane;
  }
  return coalesced_group(mask, part, (parent.size() + size - 1) / size);
}

/// The same of a block, whose last part may be smaller.
inline thread_group tiled_partition(const thread_block& parent, unsigned size) {
  detail::require_tile_size(size);
  const unsigned part = parent.thread_rank() / size;
  const unsigned first = simt::lane_id() / size * size;
  const unsigned left = parent.num_threads() - part * size;
  const unsigned threads = left < size ? left : size;
  const unsigned mask = (threads == 32 ? 0xFFFFFFFFu : (1u << threads) - 1u) << first;
  return coalesced_group(mask, part, (parent.num_threads() + size - 1) / size);
}

/// The same of a group whose type was forgotten.
inline thread_group tiled_partition(const thread_group& parent, unsigned size) {
  if (parent.kind_ == detail::Kind::kBlock) return tiled_partition(this_thread_block(), size);
  return tiled_partition(coalesced_group(parent.mask_), size);
}

/// The threads of the group that gave the same label.
template <class Group, class Label>
coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned mine = __match_any_sync(group.lane_mask(), label);
  return coalesced_group(mine);
}

/// The threads of the group whose predicate is the same.
template <class Group>
coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned yes = __ballot_sync(group.lane_mask(), predicate);
  return coalesced_group(predicate ? yes : group.lane_mask() & ~yes, predicate ? 1 : 0, 2);
}

/// One thread of the group calls f(args...).
template <class Group, class F, class... Args>
void invoke_one(const Group& group, F&& f, Args&&... args) {
  if (group.thread_rank() == 0) std::forward<F>(f)(std::forward<Args>(args)...);
}

/// One thread of a group within a warp calls f(args...); all get its result.
template <class Group, class F, class... Args>
auto invoke_one_broadcast(const Group& group, F&& f, Args&&... args) {
  std::invoke_result_t<F, Args...> result{};
  if (group.thread_rank() == 0) result = std::forward<F>(f)(std::forward<Args>(args)...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups
