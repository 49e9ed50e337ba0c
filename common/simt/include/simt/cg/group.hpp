/// @file
/// thread_group, thread_block and grid_group.
/// Source: CUDA Programming Guide, "Cooperative Groups", sections "Group Types" and "Grid
/// Synchronization".
#pragma once

#include "simt/collective.hpp"
#include "simt/warp.hpp"

namespace cooperative_groups {

namespace detail {

enum class Kind : unsigned char { kBlock, kLanes, kGrid };

inline unsigned block_threads() { return simt::detail::current_block->thread_count; }

/// The lanes of `mask` below this one.
inline unsigned rank_in(unsigned mask) {
  return static_cast<unsigned>(std::popcount(mask & ((1u << simt::lane_id()) - 1u)));
}

}  // namespace detail

/// Any group of threads within a block, its type forgotten.
class thread_group {
 public:
  void sync() const {
    if (kind_ == detail::Kind::kLanes) {
      __syncwarp(mask_);
    } else {
      simt::block_barrier();
    }
  }
  unsigned long long size() const { return num_threads(); }
  unsigned long long num_threads() const {
    return kind_ == detail::Kind::kBlock ? detail::block_threads() : size_;
  }
  unsigned long long thread_rank() const {
    return kind_ == detail::Kind::kBlock ? simt::linear_thread() : detail::rank_in(mask_);
  }

  friend thread_group tiled_partition(const thread_group& parent, unsigned size);

 protected:
  explicit thread_group(detail::Kind kind) : kind_(kind) {}
  thread_group(unsigned mask, unsigned size, unsigned meta_rank, unsigned meta_size)
      : kind_(detail::Kind::kLanes),
        mask_(mask),
        size_(size),
        meta_rank_(meta_rank),
        meta_size_(meta_size) {}

  detail::Kind kind_;
  unsigned mask_ = 0;       ///< lanes of the warp, for groups within one
  unsigned size_ = 0;       ///< how many threads such a group has, exited ones included
  unsigned meta_rank_ = 0;  ///< which part of the partitioned group this is
  unsigned meta_size_ = 1;  ///< of how many
};

/// All threads of the block.
class thread_block : public thread_group {
 public:
  thread_block() : thread_group(detail::Kind::kBlock) {}

  static void sync() { simt::block_barrier(); }
  static unsigned size() { return detail::block_threads(); }
  static unsigned num_threads() { return detail::block_threads(); }
  static unsigned thread_rank() { return simt::linear_thread(); }
  static dim3 group_index() {
    const uint3 index = simt::detail::current_block->index;
    return {index.x, index.y, index.z};
  }
  static dim3 thread_index() { return {::threadIdx.x, ::threadIdx.y, ::threadIdx.z}; }
  static dim3 group_dim() { return dim_threads(); }
  static dim3 dim_threads() {
    const auto dim = simt::detail::current_block->dim;
    return {dim.x, dim.y, dim.z};
  }
};

inline thread_block this_thread_block() { return {}; }

/// All threads of the grid. It can wait only in a cooperative launch.
class grid_group {
 public:
  bool is_valid() const { return simt::is_cooperative_launch(); }
  void sync() const { simt::grid_barrier(); }
  unsigned long long size() const { return num_threads(); }
  unsigned long long num_threads() const { return num_blocks() * detail::block_threads(); }
  unsigned long long thread_rank() const {
    return block_rank() * detail::block_threads() + simt::linear_thread();
  }
  unsigned long long num_blocks() const {
    const dim3 dim = dim_blocks();
    return static_cast<unsigned long long>(dim.x) * dim.y * dim.z;
  }
  unsigned long long block_rank() const {
    const dim3 dim = dim_blocks();
    const dim3 index = block_index();
    return index.x + static_cast<unsigned long long>(dim.x) *
                         (index.y + static_cast<unsigned long long>(dim.y) * index.z);
  }
  dim3 block_index() const { return thread_block::group_index(); }
  dim3 dim_blocks() const {
    const auto grid = simt::detail::current_block->grid;
    return {grid.x, grid.y, grid.z};
  }
  dim3 group_dim() const { return dim_blocks(); }
};

inline grid_group this_grid() { return {}; }

template <class Group>
void sync(const Group& group) {
  group.sync();
}
template <class Group>
auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
auto group_size(const Group& group) {
  return group.num_threads();
}

}  // namespace cooperative_groups
