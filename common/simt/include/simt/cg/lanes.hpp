/// @file
/// Groups within a warp: thread_block_tile and coalesced_group.
/// Source: CUDA Programming Guide, "Cooperative Groups", sections "Thread Block Tile" and
/// "Coalesced Groups".
#pragma once

#include <bit>

#include "simt/cg/exchange.hpp"
#include "simt/cg/group.hpp"

namespace cooperative_groups {

namespace detail {

/// Lane number of the rank-th lane of a mask.
inline unsigned lane_of(unsigned mask, unsigned rank) {
  for (; rank > 0 && mask != 0; --rank) mask &= mask - 1;
  return mask != 0 ? static_cast<unsigned>(std::countr_zero(mask)) : 32u;
}

/// The bits of `lanes` that `mask` names, moved together: bit r is that of rank r.
inline unsigned by_rank(unsigned mask, unsigned lanes) {
  unsigned packed = 0;
  for (unsigned rank = 0; mask != 0; mask &= mask - 1, ++rank) {
    if ((lanes & mask & -mask) != 0) packed |= 1u << rank;
  }
  return packed;
}

/// What tiles and coalesced groups share: everything is in terms of ranks. Shuffles are part of
/// their callers, whose lines check mode names.
class lane_group : public thread_group {
 public:
  void sync() const { __syncwarp(mask_); }
  unsigned size() const { return size_; }
  unsigned num_threads() const { return size_; }
  unsigned thread_rank() const { return rank_in(mask_); }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }

  template <class T>
  [[gnu::always_inline]] T shfl(T value, unsigned source) const {
    return from_lane(mask_, value, lane_of(mask_, source % size_));
  }
  /// The value of the thread `delta` ranks below; the thread's own where there is none.
  template <class T>
  [[gnu::always_inline]] T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return from_lane(mask_, value, lane_of(mask_, rank < delta ? rank : rank - delta));
  }
  template <class T>
  [[gnu::always_inline]] T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return from_lane(mask_, value, lane_of(mask_, rank + delta < size_ ? rank + delta : rank));
  }

  int any(int predicate) const { return __any_sync(mask_, predicate); }
  int all(int predicate) const { return __all_sync(mask_, predicate); }
  unsigned ballot(int predicate) const { return by_rank(mask_, __ballot_sync(mask_, predicate)); }
  template <class T>
  unsigned match_any(T value) const {
    return by_rank(mask_, __match_any_sync(mask_, value));
  }
  template <class T>
  unsigned match_all(T value, int& predicate) const {
    return by_rank(mask_, __match_all_sync(mask_, value, &predicate));
  }

  /// The lanes of the warp that are in the group.
  unsigned lane_mask() const { return mask_; }

 protected:
  using thread_group::thread_group;
};

}  // namespace detail

/// The threads of a warp that were together at one point of the program.
class coalesced_group : public detail::lane_group {
 public:
  explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
      : lane_group(mask, static_cast<unsigned>(std::popcount(mask)), meta_rank, meta_size) {}

  template <class T>
  [[gnu::always_inline]] T shfl_xor(T value, unsigned rank_mask) const {
    const unsigned source = thread_rank() ^ rank_mask;
    return detail::from_lane(mask_, value,
                             detail::lane_of(mask_, source < size_ ? source : thread_rank()));
  }
};

/// All that are here together, in check mode, too: who has a group goes by its members.
inline coalesced_group coalesced_threads(const char* file = __builtin_FILE(),
                                         int line = __builtin_LINE()) {
  return coalesced_group(simt::converged_lanes(simt::detail::site_of(file, line), false));
}

template <unsigned kSize, class Parent = void>
class thread_block_tile;

/// kSize neighbouring threads, a power of two up to a warp.
template <unsigned kSize>
requires(kSize <= 32) class thread_block_tile<kSize, void> : public detail::lane_group {
  static_assert(std::has_single_bit(kSize), "a tile's size is a power of two");

 public:
  thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : lane_group(segment(), kSize, meta_rank, meta_size) {}

  static constexpr unsigned size() { return kSize; }
  static constexpr unsigned num_threads() { return kSize; }
  static unsigned thread_rank() { return simt::lane_id() % kSize; }

  template <class T>
  [[gnu::always_inline]] T shfl_xor(T value, unsigned lane_mask) const {
    const unsigned lane = simt::lane_id();
    const unsigned source = thread_rank() ^ lane_mask;
    return detail::from_lane(mask_, value, source < kSize ? lane - thread_rank() + source : lane);
  }

 private:
  static unsigned segment() {
    const unsigned first = simt::lane_id() / kSize * kSize;
    return (kSize == 32 ? 0xFFFFFFFFu : (1u << kSize % 32) - 1u) << first;
  }
};

template <unsigned kSize, class Parent>
class thread_block_tile : public thread_block_tile<kSize, void> {
 public:
  using thread_block_tile<kSize, void>::thread_block_tile;
};

inline thread_block_tile<1> this_thread() { return {0, 1}; }

}  // namespace cooperative_groups
