/// @file
/// The blocks of one cluster, and the barrier that their threads have.
#ifndef SIMT_RUNTIME_CLUSTER_HPP
#define SIMT_RUNTIME_CLUSTER_HPP

#include <cstdint>
#include <memory>
#include <vector>

#include "simt/block.hpp"

namespace simt::detail {

struct Cluster {
  std::vector<Block*> blocks;  ///< by rank
  /// Those whose threads have all ended: their shared memory stays until the cluster's end.
  std::vector<std::unique_ptr<Block>> ended;
  /// One more than the phase that each thread came to last, or 0, by rank and thread.
  std::vector<std::uint32_t> awaited;
  std::uint32_t phase = 0;  ///< of the barrier: how often all have met
  unsigned arrived = 0;     ///< threads in this phase
  unsigned gone = 0;        ///< those of them that have ended

  bool has_ended(const Block& block) const;

  /// Ends the barrier's phase if all threads that have not ended have come. Then those that wait
  /// can go on.
  bool complete();

  /// Whether each block has ended or waits, with no thread that could run.
  bool is_stuck() const;
};

/// The block in whose shared memory an address lies: the running one, unless it is one of its
/// cluster's others.
Block& owner_of(const void* shared_address);

/// notify_all for threads of this block.
void notify_in(Block& block, const void* key);

}  // namespace simt::detail

#endif
