/// @file
/// Tiles of several warps: 64 to 1024 neighbouring threads of a block.
/// Source: CUDA Programming Guide, "Cooperative Groups", section "Thread Block Tile".
#pragma once

#include <bit>
#include <type_traits>

#include "simt/cg/lanes.hpp"
#include "simt/shared_memory.hpp"

namespace cooperative_groups {

/// The memory that such tiles want on some GPUs; here they need none.
template <unsigned kMaxBlockSize = 1024>
struct block_tile_memory {
  unsigned char unused;
};

template <unsigned kMaxBlockSize>
thread_block this_thread_block(block_tile_memory<kMaxBlockSize>&) {
  return {};
}

namespace detail {

/// Where the first lane of each warp of the block keeps the values of its warp.
struct WarpValues {
  const void* of_warp[simt::detail::kMaxThreads / simt::detail::kWarpSize];
};

template <class T>
struct Gathered {
  T mine;
  T warp[simt::detail::kWarpSize];
};

/// Copies what the lanes bring into the first lane's array.
template <class T>
void gather_warp(void* const* slots, unsigned lanes) {
  auto* first = static_cast<Gathered<T>*>(slots[std::countr_zero(lanes)]);
  for (unsigned lane = 0; lane < simt::detail::kWarpSize; ++lane) {
    if (slots[lane] != nullptr) first->warp[lane] = static_cast<Gathered<T>*>(slots[lane])->mine;
  }
}

}  // namespace detail

template <unsigned kSize>
requires(kSize > 32) class thread_block_tile<kSize, void> {
  static_assert(std::has_single_bit(kSize) && kSize <= 1024, "a tile's size is a power of two");

 public:
  thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : meta_rank_(meta_rank), meta_size_(meta_size) {}

  static constexpr unsigned size() { return kSize; }
  static constexpr unsigned num_threads() { return kSize; }
  static unsigned thread_rank() { return simt::linear_thread() % kSize; }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }

  void sync() const {
    // One key for each tile; they are compared, never read.
    static constexpr char keys[1024 / kSize] = {};
    simt::named_barrier(&keys[meta_rank_], threads());
  }

  template <class T>
  T shfl(T value, unsigned source) const {
    return exchange(value, [=](const auto& of_rank) { return of_rank(source % kSize); });
  }
  int any(int predicate) const { return count(predicate) > 0; }
  int all(int predicate) const { return count(predicate) == threads(); }

  /// op over the values of all threads, in the order of their ranks.
  template <class T, class Op>
  T combine(const T& value, const Op& op) const {
    return exchange(value, [&](const auto& of_rank) {
      T result = of_rank(0);
      for (unsigned rank = 1; rank < threads(); ++rank) result = op(result, of_rank(rank));
      return result;
    });
  }

 private:
  /// How many threads the tile has: the last of a block may have fewer.
  unsigned threads() const {
    const unsigned left = detail::block_threads() - meta_rank_ * kSize;
    return left < kSize ? left : kSize;
  }

  unsigned count(int predicate) const {
    return combine(predicate != 0 ? 1u : 0u, [](unsigned a, unsigned b) { return a + b; });
  }

  /// use(of_rank) in every thread, where of_rank(r) is the value of the thread of rank r.
  template <class T, class Use>
  T exchange(const T& value, const Use& use) const {
    static_assert(std::is_trivially_copyable_v<T>);
    detail::Gathered<T> part{value, {}};
    simt::warp_rendezvous(0xFFFFFFFFu, &detail::gather_warp<T>, &part);
    auto& table = simt::shared<detail::WarpValues, simt::detail::NotCounted>().of_warp;
    if (simt::lane_id() == 0) table[simt::warp_id()] = part.warp;
    sync();
    const T result = use([&](unsigned rank) {
      const unsigned thread = meta_rank_ * kSize + rank;
      return static_cast<const T*>(table[thread / 32])[thread % 32];
    });
    sync();
    return result;
  }

  unsigned meta_rank_;
  unsigned meta_size_;
};

}  // namespace cooperative_groups