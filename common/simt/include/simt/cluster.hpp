/// @file
/// Thread block clusters: where a block is in its own, its barrier, and the shared memory of the
/// others. All blocks of a cluster are resident together, on one OS thread.
/// Source: CUDA Programming Guide, "Thread Block Clusters", "Distributed Shared Memory"; PTX ISA,
/// "barrier.cluster", "mapa", "getctarank".
#ifndef SIMT_CLUSTER_HPP
#define SIMT_CLUSTER_HPP

#include <cstddef>
#include <cstdint>

#include "simt/block.hpp"

namespace simt {

/// The running block's place in its cluster, x fastest.
inline uint3 index_in_cluster() {
  const detail::Block& block = *detail::current_block;
  const uint3 size = block.cluster_dim;
  return {block.index.x % size.x, block.index.y % size.y, block.index.z % size.z};
}
inline unsigned rank_in_cluster() {
  const uint3 size = detail::current_block->cluster_dim;
  const uint3 index = index_in_cluster();
  return index.x + size.x * (index.y + size.y * index.z);
}
inline unsigned blocks_in_cluster() {
  const uint3 size = detail::current_block->cluster_dim;
  return size.x * size.y * size.z;
}
/// The cluster's place in the grid, and how many there are.
inline uint3 cluster_index() {
  const detail::Block& block = *detail::current_block;
  const uint3 size = block.cluster_dim;
  return {block.index.x / size.x, block.index.y / size.y, block.index.z / size.z};
}
inline uint3 cluster_count() {
  const detail::Block& block = *detail::current_block;
  const uint3 size = block.cluster_dim;
  return {block.grid.x / size.x, block.grid.y / size.y, block.grid.z / size.z};
}

/// A barrier of all threads of the cluster that have not ended, in two halves. An `aligned` one is
/// for all threads of a warp together; a `relaxed` arrival lets nobody know what the thread did.
void cluster_arrive(bool aligned = false, bool relaxed = false);
void cluster_wait(bool aligned = false);

/// The shared memory of the block with this rank. The kernel stops if there is none, or if that
/// block has ended.
std::byte* shared_memory_of(unsigned rank);
/// The rank of the block whose shared memory an address lies in; the running block's own if in
/// none.
unsigned rank_of_shared(const void* address);

/// The address in another block's shared memory that is where `address` is in that of its own.
template <class T>
T* map_to_rank(T* address, unsigned rank) {
  const std::byte* const own = shared_memory_of(rank_of_shared(address));
  return reinterpret_cast<T*>(shared_memory_of(rank) +
                              (reinterpret_cast<const std::byte*>(address) - own));
}

}  // namespace simt

#endif
