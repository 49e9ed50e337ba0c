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

namespace {

/// The other side of a use of memory whose block may have ended.
constexpr char kLateVisit = 0;

}  // namespace

void Checker::barrier_made(const void* at, const void* site) {
  const Block* const block = detail::current_block;
  if (block == nullptr) return;
  const Stamp now = stamp(*block, address_of(site));
  watch_of(*block).phases.erase(at);
  const auto [known, is_new] = watch_of(*block).barriers.try_emplace(address_of(at));
  const BlockWatch::MadeBarrier before = std::exchange(known->second, {now});
  if (is_new || ordered(before.by, now)) return;
  const Place use{address_of(at), 8, Access::write, address_of(site), Strength::plain};
  barrier_race(*block, use, before, "initialises", "with nothing between the two",
               "let one thread alone initialise it, before the others use it");
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
  const Block& owner = detail::owner_of(at);
  const Stamp now = stamp(*block, address_of(site));
  if (&owner != block) visit(owner, now, address_of(at));
  auto& barriers = watch_of(owner).barriers;
  const auto found = barriers.find(address_of(at));
  if (found == barriers.end()) return;
  const BlockWatch::MadeBarrier barrier = found->second;
  const Place use{address_of(at), 8, Access::write, address_of(site), Strength::plain};
  if (!ordered(barrier.by, now) && !barrier.known_to_cluster) {
    barriers.erase(found);  // once is enough
    return barrier_race(
        *block, use, barrier, "uses", "with nothing between the two",
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
      *block, use, barrier, "uses", "with no fence between that makes it known to the copy engine",
      "behind mbarrier.init, and before the barrier of the block, let the same thread call "
      "fence.mbarrier_init.release.cluster or fence.proxy.async");
}

void Checker::barrier_race(const Block& block, const Place& use,
                           const BlockWatch::MadeBarrier& barrier, const char* does,
                           const char* what, const char* cure) {
  const std::uintptr_t made = unpack(barrier.by.site);
  if (!Findings::instance().is_new(Kind::race, use.site, made)) return;
  const SourceLine at = source_line(made);
  Finding finding = finding_at(Kind::race, reinterpret_cast<const void*>(use.site),
                               who(&block) + ' ' + does + " the mbarrier " + describe(use.address) +
                                   ", initialised by " + thread_text(barrier.by) + " at " +
                                   at.text() + " " + what,
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
  std::vector<std::uint32_t>& phases = watch_of(block).cluster_phases;
  phases.resize(block.thread_count);
  if (call.arrives) {
    phases[thread] = call.phase + 1;
    for (const Block* other : block.cluster->blocks) {
      for (BlockWatch::SentCopy& copy : watch_of(*other).sent) {
        if (copy.phase == 0 && watch_of(block).order.knows(thread, copy.told)) {
          copy.phase = call.phase + 1;
        }
      }
    }
  } else {
    watch_of(block).cluster_waited = std::max(watch_of(block).cluster_waited, call.phase + 1);
  }
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

void Checker::visit(const Block& owner, const Stamp& now, std::uintptr_t address) {
  const std::vector<std::uint32_t>& phases = watch_of(*detail::current_block).cluster_phases;
  const BlockWatch::Visit visit{now, address, phases.empty() ? 0 : phases[now.thread]};
  if (watch_of(owner).ended) return late_visit(owner, visit);
  watch_of(owner).visits[{now.block, now.thread}] = visit;
}

// Shared memory lasts as long as its block. So some thread of the block has to know, before it
// ends, that other blocks use it no more: by a barrier of the cluster, relaxed or not, or by
// whatever else orders accesses.
void Checker::tell_late_visits(const Block& block) {
  const BlockWatch& watch = watch_of(block);
  for (const auto& [thread, visit] : watch.visits) {
    const bool is_known = visit.phase < watch.cluster_waited || watch.order.tells_any(visit.by);
    if (!is_known) late_visit(block, visit);
  }
}

void Checker::late_visit(const Block& block, const BlockWatch::Visit& visit) {
  const std::uintptr_t site = unpack(visit.by.site);
  if (!Findings::instance().is_new(Kind::race, site, address_of(&kLateVisit))) return;
  report(
      finding_at(Kind::race, reinterpret_cast<const void*>(site),
                 thread_text(visit.by) + " uses shared memory of block " + block_text(block) +
                     ", which does not wait for that: it may have ended before",
                 "let all blocks of the cluster meet behind the last use, before one of them ends: "
                 "cluster.sync(), or barrier.cluster.arrive and .wait"));
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

void Checker::barrier_refused(const Block& block, const std::string& why, const void* site) {
  if (!Findings::instance().is_new(Kind::invalid_sync, address_of(site), 0)) return;
  report(finding_at(Kind::invalid_sync, site, who(&block) + " cannot come to this barrier: " + why,
                    "barriers have the numbers 0 to 15; all who come to one name the same count of "
                    "threads, whole warps of 32"));
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
