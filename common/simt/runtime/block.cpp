#include "simt/block.hpp"

#include <cstdio>

#include "observer.hpp"
#include "suspend.hpp"
#include "waiting.hpp"
#include "worker.hpp"

__thread uint3 threadIdx;
__thread uint3 blockIdx;
__thread dim3 blockDim;
__thread dim3 gridDim;

namespace simt::detail {

ParkedThread* find_work(Block& block) {
  if (block.next_thread != block.thread_count) return start_fiber(block);
  const unsigned waiters = block.barrier_waiters.size();
  if (waiters != 0 && waiters == block.fibers_in_use) {
    release_block_barrier(block);
    return block.ready.pop();
  }
  if (block.fibers_in_use == 0) return block.worker->main_thread();
  if (release_converged(block)) return block.ready.pop();
  if (block.cluster != nullptr) {
    block.pause = Block::Pause::cluster;
    return block.worker->main_thread();
  }
  if (block.named != nullptr && release_mbarriers(block)) return block.ready.pop();
  if (block.grid_arrived == block.fibers_in_use) {
    block.pause = Block::Pause::grid_barrier;
    return block.worker->main_thread();
  }
  if (block.job->fail(cudaErrorLaunchFailure)) {
    if (Observer* watching = block.job->observer) watching->deadlocked(block);
    report_deadlock(block);
  }
  block.worker->abandon();
}

ParkedThread* start_fiber(Block& block) {
  if (block.fibers_in_use == 1) {
    block.exited_below = block.next_thread;
    block.survivor = block.running_thread();
  }
  ++block.fibers_in_use;
  block.started = block.worker->fibers().take();
  return &block.started->start;
}

unsigned Block::exited_lanes(unsigned warp) const {
  const bool alone = fibers_in_use == 1;
  const unsigned below = alone ? next_thread : exited_below;
  const unsigned kept = alone ? running_thread() : survivor;
  const unsigned first = warp * kWarpSize;
  unsigned mask = warps[warp].exited;
  if (below > first) {
    const unsigned count = below - first;
    unsigned ended = count >= kWarpSize ? ~0U : (1U << count) - 1;
    if (kept / kWarpSize == warp) ended &= ~(1U << kept % kWarpSize);
    mask |= ended;
  }
  if (thread_count - first < kWarpSize) mask |= ~0U << (thread_count - first);
  return mask;
}

void Block::record_exit() {
  const unsigned thread = running_thread();
  const unsigned warp = thread / kWarpSize;
  warps[warp].exited |= 1U << thread % kWarpSize;
  warps_used = true;
  if (warps[warp].pending != nullptr) release_after_exit(*this, warp);
}

Place describe(const Block& block) {
  Place place;
  const KernelInfo& kernel = *block.job->kernel;
  std::snprintf(place.text, sizeof(place.text), "kernel %s (%s:%d), block (%u,%u,%u)", kernel.name,
                kernel.file, kernel.line, block.index.x, block.index.y, block.index.z);
  return place;
}

}  // namespace simt::detail
