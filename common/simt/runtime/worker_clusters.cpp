// The part of a worker that has to do with clusters: their blocks are there together, and end
// together.
#include <cstdint>
#include <memory>
#include <utility>

#include "observer.hpp"
#include "waiting.hpp"
#include "worker.hpp"

namespace simt::detail {

// The blocks of a cluster are there together: each waits until it has its turn.
bool Worker::start_cluster(Job& job) {
  std::uint64_t place = 0;
  if (!claim(job, place)) return false;
  const uint3 dim = job.cluster;
  const std::uint64_t number = job.order.block(place);
  const std::uint64_t across = job.grid.x / dim.x, down = job.grid.y / dim.y;
  const std::uint64_t x = number % across, y = number / across % down, z = number / across / down;
  Cluster& cluster = *clusters_.emplace_back(std::make_unique<Cluster>());
  cluster.awaited.resize(std::size_t{job.cluster_size} * job.threads);
  for (unsigned rank = 0; rank < job.cluster_size; ++rank) {
    const std::uint64_t bx = x * dim.x + rank % dim.x, by = y * dim.y + rank / dim.x % dim.y,
                        bz = z * dim.z + rank / dim.x / dim.y;
    std::unique_ptr<Block> block = take_block();
    begin(*block, job, bx + job.grid.x * (by + job.grid.y * bz));
    block->cluster = &cluster;
    block->pause = Block::Pause::cluster;
    // Another block may write there before this one first uses it.
    if (job.dynamic_shared != 0) fill_dynamic_shared(*block);
    cluster.blocks.push_back(block.get());
    paused_.push_back(std::move(block));
  }
  return true;
}

// Whether a thread of a block that waits for others of its cluster can go on. If no thread of any
// of them can, waits at mbarriers end before their time; after that the kernel fails.
bool Worker::wake_cluster(Job& job, Block& block) {
  const auto can_run = [&] {
    return !block.ready.empty() || block.next_thread != block.thread_count;
  };
  if (can_run()) return true;
  Cluster& cluster = *block.cluster;
  if (cluster.complete()) return can_run();
  if (!cluster.is_stuck()) return false;
  bool released = false;
  for (Block* other : cluster.blocks) {
    if (!cluster.has_ended(*other) && release_mbarriers(*other)) released = true;
  }
  if (!released && job.fail(cudaErrorLaunchFailure)) {
    for (Block* other : cluster.blocks) {
      if (cluster.has_ended(*other)) continue;
      current_block = other;
      if (job.observer != nullptr) job.observer->deadlocked(*other);
      report_deadlock(*other);
    }
  }
  return can_run();
}

// Takes back a block whose threads have all ended. Others of its cluster may look at its shared
// memory until they end.
void Worker::end_block(std::unique_ptr<Block> block) {
  Cluster* const cluster = block->cluster;
  if (cluster == nullptr) {
    unused_.push_back(std::move(block));
    return;
  }
  cluster->ended.push_back(std::move(block));
  if (cluster->ended.size() != cluster->blocks.size()) return;
  for (auto& ended : cluster->ended) unused_.push_back(std::move(ended));
  std::erase_if(clusters_, [&](const auto& other) { return other.get() == cluster; });
}

}  // namespace simt::detail
