/// @file
/// Tiles of several warps under the names they had before CUDA 12.
#pragma once

#include "simt/cg/multi_warp.hpp"
#include "simt/cg/partition.hpp"

namespace cooperative_groups::experimental {

/// `kBytes` is the size of what the threads of a tile exchange.
template <unsigned kBytes, unsigned kMaxBlockSize = 1024>
struct block_tile_memory {
  unsigned char unused;
};

template <unsigned kBytes, unsigned kMaxBlockSize>
thread_block this_thread_block(block_tile_memory<kBytes, kMaxBlockSize>&) {
  return {};
}

template <unsigned kSize, class Group>
auto tiled_partition(const Group& group) {
  return cooperative_groups::tiled_partition<kSize>(group);
}

}  // namespace cooperative_groups::experimental
