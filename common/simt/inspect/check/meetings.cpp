// What stands around Hopper's barriers: an mbarrier is made before it is used, and known to those
// who use it; a cluster's barrier has two halves, each for whole warps where it says so. Source:
// PTX ISA, "membar, fence", "Async proxy", "barrier.cluster".
#include <algorithm>
#include <bit>
#include <utility>

#include "checker.hpp"
#include "cluster.hpp"
#include "sites.hpp"

namespace simt::inspect {

using detail::Block;
using detail::kWarpSize;

void Checker::barrier_made(const void* at, const void* site) {
  const Block* const block = detail::current_block;
  if (block == nullptr) return;
  watch_of(*block).barriers[address_of(at)] = {stamp(*block, address_of(site))};
}

void Checker::barrier_ends(const void* at) {
  if (detail::current_block != nullptr) {
    watch_of(*detail::current_block).barriers.erase(address_of(at));
  }
}

void Checker::barriers_fenced() {
  const Block* const block = detail::current_block;
  if (block == nullptr) return;
  for (auto& [at, barrier] : watch_of(*block).barriers) {
    if (barrier.by.thread == block->running_thread()) {
      barrier.known_to_engine = barrier.fenced = true;
    }
  }
}

// Other threads know of a barrier by what orders them behind the one that made it. The copy engine
// sees it behind a fence of that thread, or of the one that starts the copy.
void Checker::barrier_used(const void* at, bool by_copy, const detail::CallSite& call) {
  const Block* const block = detail::current_block;
  if (block == nullptr) return;
  call_ = remember(call);
  called_at_ = at;
  const void* const site = call.site;
  auto& barriers = watch_of(detail::owner_of(at)).barriers;
  const auto found = barriers.find(address_of(at));
  if (found == barriers.end()) return;
  const BlockWatch::MadeBarrier barrier = found->second;
  const Stamp now = stamp(*block, address_of(site));
  const Place use{address_of(at), 8, Access::write, address_of(site), Strength::plain};
  if (!ordered(barrier.by, now) && !barrier.known_to_cluster) {
    barriers.erase(found);  // once is enough
    return barrier_race(
        *block, use, barrier, "with nothing between the two",
        barrier.by.block != now.block
            ? "let all threads of the cluster meet behind mbarrier.init, by barrier.cluster.arrive "
              "and wait; before a relaxed arrival call fence.mbarrier_init.release.cluster"
            : "let the threads meet behind mbarrier.init: __syncthreads()");
  }
  if (!by_copy || barrier.known_to_engine) return;
  const std::vector<BlockWatch::ProxyFences>& fences = watch_of(*block).proxy_fences;
  if (barrier.by.thread != now.thread && now.thread < fences.size() &&
      fences[now.thread].count != 0 &&
      watch_of(*block).order.ordered(barrier.by, fences[now.thread].last)) {
    return;
  }
  barriers.erase(found);
  barrier_race(
      *block, use, barrier, "with no fence between that makes it known to the copy engine",
      "behind mbarrier.init, and before the barrier of the block, let the same thread call "
      "fence.mbarrier_init.release.cluster or fence.proxy.async");
}

void Checker::barrier_race(const Block& block, const Place& use,
                           const BlockWatch::MadeBarrier& barrier, const char* what,
                           const char* cure) {
  const std::uintptr_t made = unpack(barrier.by.site);
  if (!Findings::instance().is_new(Kind::race, use.site, made)) return;
  const SourceLine at = source_line(made);
  Finding finding =
      finding_at(Kind::race, reinterpret_cast<const void*>(use.site),
                 who(&block) + " uses the mbarrier " + describe(use.address) + ", initialised by " +
                     thread_text(barrier.by) + " at " + at.text() + " " + what,
                 cure);
  finding.other = at;
  finding.other_is = "mbarrier.init";
  report(std::move(finding));
}

void Checker::cluster_called(const Block& block, const detail::ClusterCall& call) {
  std::vector<BlockWatch::ClusterWarp>& warps = watch_of(block).cluster_warps;
  warps.resize((block.thread_count + kWarpSize - 1) / kWarpSize);
  const unsigned thread = block.running_thread(), lane = 1U << thread % kWarpSize;
  BlockWatch::ClusterWarp& warp = warps[thread / kWarpSize];
  const bool owes = (warp.owe & lane) != 0;
  warp.owe = call.arrives ? warp.owe | lane : warp.owe & ~lane;
  if (call.aligned) {
    BlockWatch::ClusterMeeting& meeting = call.arrives ? warp.arrivals : warp.waits[call.phase % 2];
    meeting.lanes |= lane;
    meeting.site = address_of(call.site);
  }
  if (owes != call.arrives) return;
  cluster_in_turn_ = false;
  if (!Findings::instance().is_new(Kind::invalid_sync, address_of(call.site), 0)) return;
  report(
      finding_at(Kind::invalid_sync, call.site,
                 who(&block) + (call.arrives ? " arrives at the cluster's barrier again, and has "
                                               "not waited since it arrived last"
                                             : " waits at the cluster's barrier, and has not "
                                               "arrived there since it waited last"),
                 "let each thread call barrier.cluster.arrive and barrier.cluster.wait in turn"));
}

// At its end a phase has all its arrivals, and the one before it all its waits.
void Checker::cluster_synchronised(const detail::Cluster& cluster) {
  for (const Block* block : cluster.blocks) {
    for (unsigned warp = 0; warp < watch_of(*block).cluster_warps.size(); ++warp) {
      BlockWatch::ClusterWarp& calls = watch_of(*block).cluster_warps[warp];
      part_of_warp(*block, warp, calls.arrivals);
      part_of_warp(*block, warp, calls.waits[(cluster.phase + 1) % 2]);
    }
  }
}

void Checker::parts_of_warps(const Block& block) {
  for (unsigned warp = 0; warp < watch_of(block).cluster_warps.size(); ++warp) {
    BlockWatch::ClusterWarp& calls = watch_of(block).cluster_warps[warp];
    part_of_warp(block, warp, calls.arrivals);
    for (BlockWatch::ClusterMeeting& waits : calls.waits) part_of_warp(block, warp, waits);
  }
}

void Checker::part_of_warp(const Block& block, unsigned warp, BlockWatch::ClusterMeeting& meeting) {
  const auto [lanes, site] = std::exchange(meeting, {});
  const unsigned count = std::min<unsigned>(block.thread_count - warp * kWarpSize, kWarpSize);
  if (lanes == 0 || static_cast<unsigned>(std::popcount(lanes)) == count) return;
  if (!cluster_in_turn_) return;
  if (!Findings::instance().is_new(Kind::divergent_barrier, site, 0)) return;
  report(finding_at(Kind::divergent_barrier, reinterpret_cast<const void*>(site),
                    "only " + lanes_text(lanes) + " of warp " + std::to_string(warp) +
                        " of block " + block_text(block) +
                        (std::has_single_bit(lanes) ? " comes" : " come") +
                        " to this barrier of the cluster, which is .aligned: for all threads of a "
                        "warp together",
                    "take it out of the branch, so that all threads of the cluster come to it"));
}

}  // namespace simt::inspect
