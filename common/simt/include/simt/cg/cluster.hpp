/// @file
/// cluster_group: the blocks of a cluster.
/// Source: CUDA Programming Guide, "Cooperative Groups", "Cluster Group".
#pragma once

#include "simt/cg/group.hpp"
#include "simt/cluster.hpp"

namespace cooperative_groups {

class cluster_group {
 public:
  struct arrival_token {};

  static void sync() {
    simt::cluster_arrive();
    simt::cluster_wait();
  }
  static arrival_token barrier_arrive() {
    simt::cluster_arrive();
    return {};
  }
  static void barrier_wait() { simt::cluster_wait(); }
  static void barrier_wait(arrival_token&&) { simt::cluster_wait(); }

  static unsigned block_rank() { return simt::rank_in_cluster(); }
  static unsigned num_blocks() { return simt::blocks_in_cluster(); }
  static dim3 block_index() {
    const uint3 index = simt::index_in_cluster();
    return {index.x, index.y, index.z};
  }
  static dim3 dim_blocks() {
    const uint3 dim = simt::detail::current_block->cluster_dim;
    return {dim.x, dim.y, dim.z};
  }
  static unsigned thread_rank() {
    return block_rank() * detail::block_threads() + simt::linear_thread();
  }
  static unsigned num_threads() { return num_blocks() * detail::block_threads(); }
  static unsigned size() { return num_threads(); }
  static dim3 thread_index() {
    const dim3 block = block_index();
    const dim3 dim = thread_block::dim_threads();
    return {block.x * dim.x + ::threadIdx.x, block.y * dim.y + ::threadIdx.y,
            block.z * dim.z + ::threadIdx.z};
  }
  static dim3 dim_threads() {
    const dim3 blocks = dim_blocks();
    const dim3 dim = thread_block::dim_threads();
    return {blocks.x * dim.x, blocks.y * dim.y, blocks.z * dim.z};
  }

  /// Where `address` is in the shared memory of the block with this rank.
  template <class T>
  static T* map_shared_rank(T* address, int rank) {
    return simt::map_to_rank(address, static_cast<unsigned>(rank));
  }
  static unsigned query_shared_rank(const void* address) { return simt::rank_of_shared(address); }
};

inline cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups
