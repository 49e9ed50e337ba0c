#include <bit>
#include <new>

#include "job.hpp"
#include "observer.hpp"
#include "suspend.hpp"
#include "waiting.hpp"

namespace simt {

namespace detail {

namespace {

void unlink(WarpState& warp, WarpGroup* group) {
  WarpGroup** link = &warp.pending;
  while (*link != group) link = &(*link)->next;
  *link = group->next;
}

// Computes for a group whose lanes are all there and makes them ready.
void finish(Block& block, WarpState& warp, WarpGroup* group) {
  unlink(warp, group);
  for (unsigned absent = ~group->arrived; absent != 0; absent &= absent - 1) {
    group->slots[std::countr_zero(absent)] = nullptr;
  }
  if (group->compute != nullptr) {
    group->compute(group->slots, group->arrived);
  } else {
    for (void* slot : group->slots) {
      if (slot != nullptr) *static_cast<unsigned*>(slot) = group->arrived;
    }
  }
  if (Observer* watching = block.job->observer) {
    watching->warp_synchronised(block, static_cast<unsigned>(&warp - block.warps), group->arrived);
  }
  for (unsigned i = 0; i < group->count; ++i) block.ready.push(group->waiters[i]);
}

bool complete(const Block& block, unsigned warp, const WarpGroup& group) {
  if ((group.mask & ~group.arrived) == 0) return true;
  return (group.mask & ~group.arrived & ~block.exited_lanes(warp)) == 0;
}

// Joins the group of this mask, call and site in the running thread's warp and waits for the rest.
void join(Block& block, unsigned mask, WarpCompute compute, const void* site, void* slot) {
  const unsigned thread = block.running_thread();
  const unsigned warp_index = thread / kWarpSize;
  const unsigned lane = thread % kWarpSize;
  WarpState& warp = block.warps[warp_index];
  block.warps_used = true;

  alignas(WarpGroup) std::byte storage[sizeof(WarpGroup)];
  WarpGroup* group = warp.pending;
  while (group != nullptr &&
         (group->mask != mask || group->compute != compute || group->site != site)) {
    group = group->next;
  }
  if (group == nullptr) {
    warp.pending = group = new (storage) WarpGroup(mask, compute, site, warp.pending);
  }
  group->arrived |= 1U << lane;
  group->slots[lane] = slot;
  ParkedThread self;
  self.thread_idx = ::threadIdx;
  group->waiters[group->count++] = &self;
  if (complete(block, warp_index, *group)) finish(block, warp, group);
  suspend(block, self);
}

}  // namespace

void release_after_exit(Block& block, unsigned warp) {
  WarpGroup* group = block.warps[warp].pending;
  while (group != nullptr) {
    WarpGroup* next = group->next;
    if (complete(block, warp, *group)) finish(block, block.warps[warp], group);
    group = next;
  }
}

bool release_converged(Block& block) {
  if (!block.warps_used) return false;
  bool released = false;
  for (WarpState& warp : block.warps) {
    WarpGroup* group = warp.pending;
    while (group != nullptr) {
      WarpGroup* next = group->next;
      if (group->compute == nullptr) {
        finish(block, warp, group);
        released = true;
      }
      group = next;
    }
  }
  return released;
}

}  // namespace detail

void warp_rendezvous(unsigned mask, WarpCompute compute, void* slot) {
  detail::Block& block = detail::require_fiber("a warp collective");
  const unsigned lane_bit = 1U << block.running_thread() % detail::kWarpSize;
  detail::join(block, mask | lane_bit, compute, nullptr, slot);
}

unsigned converged_lanes(const void* site) {
  detail::Block& block = detail::require_fiber("__activemask");
  unsigned lanes = 0;
  detail::join(block, ~0U, nullptr, site, &lanes);
  return lanes;
}

}  // namespace simt
