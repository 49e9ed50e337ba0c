#include "cluster.hpp"

#include <algorithm>

#include "observer.hpp"
#include "shared_use.hpp"
#include "simt/cluster.hpp"
#include "suspend.hpp"
#include "waiting.hpp"
#include "worker.hpp"

namespace simt {

namespace detail {
namespace {

bool lies_in(const Block& block, const void* address) {
  const auto offset = static_cast<const std::byte*>(address) - block.shared_memory;
  return offset >= 0 && static_cast<std::size_t>(offset) < shared_space();
}

}  // namespace

bool Cluster::has_ended(const Block& block) const {
  return std::any_of(ended.begin(), ended.end(),
                     [&](const auto& other) { return other.get() == &block; });
}

bool Cluster::complete() {
  unsigned living = 0;
  for (const Block* block : blocks) {
    if (!has_ended(*block)) living += block->living();
  }
  if (arrived == 0 || arrived < living + gone) return false;
  if (Observer* const watching = blocks.front()->job->observer) {
    watching->cluster_synchronised(*this);
    watching->phase_ended(*blocks.front(), this);
  }
  arrived = gone = 0;
  ++phase;
  for (Block* block : blocks) notify_in(*block, this);
  return true;
}

bool Cluster::is_stuck() const {
  return std::all_of(blocks.begin(), blocks.end(), [&](const Block* block) {
    return has_ended(*block) || (block->pause == Block::Pause::cluster && block->ready.empty() &&
                                 block->next_thread == block->thread_count);
  });
}

Block& owner_of(const void* shared_address) {
  Block& own = *current_block;
  if (own.cluster == nullptr || lies_in(own, shared_address)) return own;
  for (Block* block : own.cluster->blocks) {
    if (lies_in(*block, shared_address)) return *block;
  }
  return own;
}

}  // namespace detail

using detail::Block;

namespace {

/// The running thread's phase, see Cluster::awaited.
std::uint32_t& awaited_phase(const Block& block) {
  const std::size_t place = std::size_t{rank_in_cluster()} * block.thread_count;
  return block.cluster->awaited[place + block.running_thread()];
}

}  // namespace

void cluster_arrive(bool aligned, bool relaxed) {
  Block& block = detail::require_fiber("barrier.cluster.arrive");
  if (block.cluster == nullptr) return;
  if (detail::Observer* const watching = block.job->observer) {
    watching->cluster_called(block,
                             {true, aligned, block.cluster->phase, __builtin_return_address(0)});
    relaxed ? watching->released_fenced(block.cluster) : watching->released(block.cluster);
  }
  awaited_phase(block) = block.cluster->phase + 1;
  ++block.cluster->arrived;
  block.cluster->complete();
}

void cluster_wait(bool aligned) {
  Block& block = detail::require_fiber("barrier.cluster.wait");
  if (block.cluster == nullptr) {
    // A cluster of one block: a barrier of its threads.
    block_barrier();
    return;
  }
  // Who has not arrived waits for the first one.
  const std::uint32_t phase = std::max(awaited_phase(block), 1U) - 1;
  detail::Observer* const watching = block.job->observer;
  if (watching != nullptr) {
    watching->cluster_called(block, {false, aligned, phase, __builtin_return_address(0)});
  }
  while (block.cluster->phase == phase) wait_on(block.cluster);
  if (watching != nullptr) watching->acquired(*block.cluster->blocks.front(), block.cluster, phase);
}

void detail::leave_cluster(const Block& block) {
  if (awaited_phase(block) == block.cluster->phase + 1) ++block.cluster->gone;
}

std::byte* shared_memory_of(unsigned rank) {
  Block& block = *detail::current_block;
  if (rank == rank_in_cluster()) return block.shared_memory;
  if (block.cluster == nullptr || rank >= block.cluster->blocks.size()) {
    detail::stop_kernel(
        block, cudaErrorIllegalAddress,
        "simt: shared memory of block %u of a cluster of %u, in %s, thread (%u,%u,%u)", rank,
        blocks_in_cluster(), detail::describe(block).text, ::threadIdx.x, ::threadIdx.y,
        ::threadIdx.z);
  }
  Block& other = *block.cluster->blocks[rank];
  // What it was stays in place until the cluster's end; a GPU promises nothing.
  if (block.job->observer != nullptr && block.cluster->has_ended(other)) {
    detail::stop_kernel(block, cudaErrorIllegalAddress,
                        "simt: shared memory of block %u of its cluster, which has ended, in %s, "
                        "thread (%u,%u,%u); "
                        "expected a barrier of the cluster before blocks end",
                        rank, detail::describe(block).text, ::threadIdx.x, ::threadIdx.y,
                        ::threadIdx.z);
  }
  return other.shared_memory;
}

unsigned rank_of_shared(const void* address) {
  const Block& own = *detail::current_block;
  if (own.cluster == nullptr) return rank_in_cluster();
  const Block& owner = detail::owner_of(address);
  const auto& blocks = own.cluster->blocks;
  const auto found = std::find(blocks.begin(), blocks.end(), &owner);
  return static_cast<unsigned>(found - blocks.begin());
}

}  // namespace simt
