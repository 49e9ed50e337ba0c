// What orders accesses, as it happens: barriers, warps, fences, atomics; and what is wrong with it.
#include <algorithm>
#include <bit>
#include <limits>
#include <memory>

#include "checker.hpp"
#include "job.hpp"
#include "sites.hpp"
#include "waiting.hpp"

namespace simt::inspect {
namespace {

using detail::Block;
using detail::kWarpSize;
using detail::ParkedThread;

bool releases(int order) {
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

unsigned linear(const uint3& thread, const uint3& dim) {
  return thread.x + dim.x * (thread.y + dim.y * thread.z);
}

}  // namespace

std::string lanes_text(unsigned lanes) {
  const int first = std::countr_zero(lanes);
  const int last = 31 - std::countl_zero(lanes);
  if (first == last) return "lane " + std::to_string(first);
  if (std::popcount(lanes) == last - first + 1) {
    return "lanes " + std::to_string(first) + " to " + std::to_string(last);
  }
  std::string text = "lanes ";
  for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    if (lane != first) text += lane == last ? " and " : ", ";
    text += std::to_string(lane);
  }
  return text;
}

std::string hexadecimal(unsigned mask) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%08x", mask);
  return text;
}

Finding finding_at(Kind kind, const void* site, std::string message, std::string cure) {
  Finding finding;
  finding.kind = kind;
  finding.at = line_of_call(address_of(site));
  finding.message = std::move(message);
  finding.cure = std::move(cure);
  return finding;
}

void Checker::warp_ordered(const Block& block, unsigned warp, unsigned arrived, const void* site) {
  watch_of(block).order.warp_synchronised(warp, arrived);
  watch_of(block).warp_barriers[warp] = {arrived, address_of(site)};
}

void Checker::block_synchronised(const Block& block) {
  work_ += block.barrier_waiters.size();
  if (overwrite_) settle_overwrite();
  tell_unwritten(block);
  if (block.barrier_waiters.size() < block.thread_count) divergent_exit(block);
  different_places(block);
  watch_of(block).last_barrier = address_of(block.barrier_waiters.front()->site);
  watch_of(block).warp_barriers = {};
  watch_of(block).order.synchronised();
  settle_mixed();
}

void Checker::divergent_exit(const Block& block) {
  const void* site = block.barrier_waiters.front()->site;
  if (!Findings::instance().is_new(Kind::divergent_barrier, address_of(site), 0)) return;
  std::vector<bool> waits(block.thread_count);
  for (ParkedThread* thread : block.barrier_waiters) {
    waits[linear(thread->thread_idx, block.dim)] = true;
  }
  // They may be of what decides who leaves, but for those that this barrier is there to prevent.
  if (!stands_between_races(source_line(address_of(site)))) tell_races();
  const auto missing =
      static_cast<unsigned>(std::find(waits.begin(), waits.end(), false) - waits.begin());
  Stamp gone = watch_of(block).order.stamp(missing);
  report(finding_at(Kind::divergent_barrier, site,
                    thread_text(gone) + " ended without reaching this barrier, where " +
                        std::to_string(block.barrier_waiters.size()) + " of " +
                        std::to_string(block.thread_count) + " threads wait",
                    "let every thread of the block reach every barrier: put the work between the "
                    "barriers in an if instead of returning early, or return early only on a "
                    "condition that is the same for all threads of the block"));
}

bool Checker::stands_between_races(const SourceLine& barrier) const {
  return std::any_of(races_.all().begin(), races_.all().end(), [&](const Race& race) {
    return race.finding.at.file == barrier.file && race.finding.other.file == barrier.file &&
           race.finding.other.line < barrier.line && barrier.line < race.finding.at.line;
  });
}

void Checker::different_places(const Block& block) {
  const ParkedThread* first = block.barrier_waiters.front();
  for (ParkedThread* thread : block.barrier_waiters) {
    if (thread->site == first->site) continue;
    if (!Findings::instance().is_new(Kind::divergent_barrier, address_of(first->site),
                                     address_of(thread->site))) {
      continue;
    }
    // The compiler may have made two calls of one line.
    const SourceLine& here = source_line(address_of(first->site));
    const SourceLine& there = source_line(address_of(thread->site));
    if (here == there) continue;
    const BlockOrder& order = watch_of(block).order;
    Finding finding =
        finding_at(Kind::divergent_barrier, first->site,
                   thread_text(order.stamp(linear(first->thread_idx, block.dim))) +
                       " waits at this barrier while " +
                       thread_text(order.stamp(linear(thread->thread_idx, block.dim))) +
                       " waits at the one at " + there.text(),
                   "let all threads of the block reach the same __syncthreads()");
    finding.other = there;
    finding.other_is = "the other barrier";
    report(std::move(finding));
  }
}

void Checker::masks_differ(const Block& block, unsigned mask, unsigned other, const void* site) {
  if (!Findings::instance().is_new(Kind::invalid_sync, address_of(site), 0)) return;
  report(finding_at(Kind::invalid_sync, site,
                    who(&block) + " calls this with the mask " + hexadecimal(mask) +
                        ", while lanes wait for it here with the mask " + hexadecimal(other),
                    "all lanes that a mask names have to make the same call with the same mask"));
}

void Checker::left_out_of_mask(const Block& block, unsigned mask, const void* site) {
  if (!Findings::instance().is_new(Kind::invalid_sync, address_of(site), 0)) return;
  const unsigned thread = block.running_thread();
  report(finding_at(Kind::invalid_sync, site,
                    thread_text(watch_of(block).order.stamp(thread)) + ", lane " +
                        std::to_string(thread % kWarpSize) + ", calls this with the mask " +
                        hexadecimal(mask) + ", which does not name it",
                    "name in the mask exactly the lanes that make the call"));
}

void Checker::stuck_lanes(const Block& block) {
  for (unsigned warp = 0; warp * kWarpSize < block.thread_count; ++warp) {
    for (const auto* group = block.warps[warp].pending; group != nullptr; group = group->next) {
      const unsigned absent = group->mask & ~group->arrived & ~block.exited_lanes(warp);
      if (absent == 0 ||
          !Findings::instance().is_new(Kind::invalid_sync, address_of(group->caller), 0)) {
        continue;
      }
      report(finding_at(Kind::invalid_sync, group->caller,
                        lanes_text(absent) + " of warp " + std::to_string(warp) + " of block " +
                            block_text(block) + " are named in the mask of this call, where " +
                            lanes_text(group->arrived) +
                            (std::has_single_bit(group->arrived) ? " waits, and never make it"
                                                                 : " wait, and never make it"),
                        "all lanes that a mask names have to make the same call with the same "
                        "mask"));
    }
  }
}

void Checker::deadlocked(const Block& block) {
  tell_races();
  const std::size_t before = Findings::instance().count();
  parts_of_warps(block);
  stuck_lanes(block);
  parts_of_warpgroups(block);
  if (block.barrier_waiters.empty() || Findings::instance().count() != before) return;
  const void* site = block.barrier_waiters.front()->site;
  if (!Findings::instance().is_new(Kind::divergent_barrier, address_of(site), 0)) return;
  report(finding_at(Kind::divergent_barrier, site,
                    std::to_string(block.barrier_waiters.size()) + " of " +
                        std::to_string(block.living()) + " threads of block " + block_text(block) +
                        " wait at this barrier, and the others wait for something else",
                    "let every thread of the block reach every barrier"));
}

void Checker::polls_in_vain(const Block& block, std::uint64_t unstarted) {
  const bool none = unstarted == 0;
  report(finding_at(
      Kind::invalid_sync, block.ready.front()->site,
      "block " + block_text(block) + " waits in this loop for ever" +
          (none ? std::string(": no running thread writes what it waits for")
                : ", as does every block that has started; " + std::to_string(unstarted) +
                      " more blocks can start only when one of these ends"),
      none
          ? "write it before this loop, or in a thread that reaches the write"
          : "let a block wait only for blocks that started before it, by numbering the blocks with "
            "atomicAdd as they start, or launch with cudaLaunchCooperativeKernel"));
}

void Checker::grid_deadlocked(const Block& block) {
  const ParkedThread* thread = block.grid_waiters.front();
  if (thread == nullptr) return;
  report(finding_at(
      Kind::divergent_barrier, thread->site,
      "block " + block_text(block) +
          " waits at this barrier of the grid, which other blocks ended without reaching",
      "let every thread of the grid reach every barrier of the grid"));
}

// From here on all blocks see what any block did before.
void Checker::grid_synchronised(const detail::Job& job) {
  const auto blocks = static_cast<std::uint32_t>(job.blocks);
  for (auto& [memory, watch] : watches_) {
    BlockOrder& order = watch->order;
    if (order.number() >= phase_first_) order.renumber(order.number() + blocks);
  }
  phase_first_ += blocks;
  blocks_ += blocks;
}

ReleaseLog& Checker::log_of(std::uintptr_t key) {
  ReleaseLog*& log = log_by_key_[key];
  if (log == nullptr) log = logs_.emplace_back(std::make_unique<ReleaseLog>()).get();
  return *log;
}

void Checker::released(const void* key) {
  const Block* block = detail::current_block;
  if (block == nullptr) return;
  BlockOrder& order = watch_of(*block).order;
  const unsigned thread = block->running_thread();
  const Scope scope = block->cluster != nullptr ? Scope::device : Scope::block;
  order.fence(thread, scope);
  ReleaseLog& log = log_of(address_of(key));
  Release release = order.release(thread, scope);
  if (called_at_ == key) release.call = call_;
  const CallMark call = release.call;
  log.append(std::move(release), order.knowledge(thread));
  if (copying_to_ != nullptr) {
    copying_to_->engine_copies.push_back({{&log, log.size()}, call, order.last_acquired(thread)});
  }
  copying_to_ = nullptr;
}

void Checker::released_fenced(const void* key) {
  const Block* block = detail::current_block;
  if (block == nullptr) return;
  BlockOrder& order = watch_of(*block).order;
  const unsigned thread = block->running_thread();
  for (auto& [at, barrier] : watch_of(*block).barriers) {
    if (barrier.fenced && barrier.by.thread == thread) barrier.known_to_cluster = true;
  }
  if (!order.has_fenced()) return;
  log_of(address_of(key)).append(order.release(thread, Scope::device), order.knowledge(thread));
}

void Checker::acquired(const Block& owner, const void* key, std::size_t phase) {
  const std::vector<std::size_t>& lengths = watch_of(owner).phases[key];
  if (phase < lengths.size()) acquire_first(key, lengths[phase]);
}

void Checker::acquired_all(const void* key) {
  acquire_first(key, std::numeric_limits<std::size_t>::max());
}

void Checker::acquire_first(const void* key, std::size_t most) {
  const Block* block = detail::current_block;
  const auto found = log_by_key_.find(address_of(key));
  if (block == nullptr || found == log_by_key_.end()) return;
  const std::size_t length = std::min(most, found->second->size());
  watch_of(*block).order.acquire(block->running_thread(), {found->second, length});
}

void Checker::phase_ended(const Block& owner, const void* key) {
  const auto found = log_by_key_.find(address_of(key));
  watch_of(owner).phases[key].push_back(found != log_by_key_.end() ? found->second->size() : 0);
}

std::size_t Checker::ended_phases(const Block& owner, const void* key) {
  return watch_of(owner).phases[key].size();
}

void Checker::fence(int) {
  const Scope scope = std::exchange(next_scope_, Scope::device);
  const Block* block = detail::current_block;
  if (block != nullptr) watch_of(*block).order.fence(block->running_thread(), scope);
}

void Checker::atomic(std::uintptr_t address, unsigned size, Access kind, int order,
                     std::uintptr_t site) {
  // An update that is made of a compare-and-swap begins with an atomic load: no read of its own,
  // and no guess of the learner's.
  const bool loaded = std::exchange(loaded_, is_read(kind) ? address : 0) == address;
  if (is_read(kind) && is_unused(address)) return;
  if (kind == Access::atomic_compare && loaded) kind = Access::atomic_update;
  // Its scope is that of what follows.
  const Scope scope = is_read(kind) ? next_scope_ : std::exchange(next_scope_, Scope::device);
  const Place place{address, size, kind, site,
                    scope == Scope::block ? Strength::atomic_in_block : Strength::atomic};
  if (is_update(kind) && !ArrayNames::is_shared(address) && !is_unused(address)) count_site_ = site;
  access(place);
  if (detail::current_block == nullptr) return;
  if (!mixed_.empty() && kind == Access::atomic_compare) trust_mixed(place);
  synchronise_by(place, order);
  if (is_update(kind) && address + size == unused_end_) unused_ = unused_end_ = 0;
}

// A thread that reads what others released by an atomic or volatile write, and uses it, knows what
// they did before, and that write. Who writes over it begins anew; who updates it adds to it.
void Checker::synchronise_by(const Place& place, int order) {
  const Block& block = *detail::current_block;
  BlockOrder& own = watch_of(block).order;
  if (is_write(place.kind)) released_.erase(place.address);
  if (log_by_key_.empty() && !own.has_fenced() && !releases(order)) return;
  const unsigned thread = block.running_thread();
  const Scope scope = place.strength == Strength::atomic_in_block ? Scope::block : Scope::device;
  const auto found = log_by_key_.find(place.address);
  if (found != log_by_key_.end() && !is_write(place.kind) && !is_unused(place.address)) {
    own.acquire(thread, {found->second, found->second->size()});
  }
  if (is_read(place.kind)) return;
  if (found != log_by_key_.end() && is_write(place.kind)) log_by_key_.erase(found);
  const Stamp now = stamp(block, place.site);
  if (releases(order)) own.fence(thread, scope);
  if (!own.has_fenced()) return;
  Release release = own.release(thread, scope);
  release.by = now;
  log_of(place.address).append(std::move(release), own.knowledge(thread));
  if (scope == Scope::device) released_.insert(place.address);
}

}  // namespace simt::inspect
