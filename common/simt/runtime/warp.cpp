#include <bit>
#include <new>

#include "job.hpp"
#include "observer.hpp"
#include "simt/block_collectives.hpp"
#include "suspend.hpp"
#include "waiting.hpp"

namespace simt {

namespace detail {

namespace {

// What the running OS thread computes for, while a mode watches.
struct Meeting {
  const WarpGroup* group = nullptr;
  unsigned warp = 0;
};
thread_local Meeting meeting;

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
  Observer* const watching = block.job->observer;
  const auto index = static_cast<unsigned>(&warp - block.warps);
  if (watching != nullptr) meeting = {group, index};
  if (group->compute != nullptr) {
    group->compute(group->slots, group->arrived);
  } else {
    for (void* slot : group->slots) {
      if (slot != nullptr) *static_cast<unsigned*>(slot) = group->arrived;
    }
  }
  if (watching != nullptr) {
    watching->warp_synchronised(block, index, group->arrived);
    if (group->compute == kSynchronise) {
      watching->warp_ordered(block, index, group->arrived, group->caller);
    }
  }
  for (unsigned i = 0; i < group->count; ++i) block.ready.push(group->waiters[i]);
}

bool complete(const Block& block, unsigned warp, const WarpGroup& group) {
  if ((group.mask & ~group.arrived) == 0) return true;
  return (group.mask & ~group.arrived & ~block.exited_lanes(warp)) == 0;
}

// Lanes that wait at the same call for the running thread, by another mask than it has come with.
void tell_other_masks(const Block& block, const WarpState& warp, unsigned mask, WarpCompute compute,
                      const void* caller) {
  const unsigned lane_bit = 1U << block.running_thread() % kWarpSize;
  for (const WarpGroup* other = warp.pending; other != nullptr; other = other->next) {
    const bool same_call = other->compute == compute && other->caller == caller;
    if (compute != nullptr && same_call && other->mask != mask && (other->mask & lane_bit) != 0) {
      block.job->observer->masks_differ(block, mask, other->mask, caller);
    }
  }
}

// Joins the group of this mask, call and site in the running thread's warp and waits for the rest.
void join(Block& block, unsigned mask, WarpCompute compute, const void* site, void* slot,
          const void* caller) {
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
    if (block.job->observer != nullptr) tell_other_masks(block, warp, mask, compute, caller);
    warp.pending = group = new (storage) WarpGroup(mask, compute, site, caller, warp.pending);
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

void lanes_do_not_meet(unsigned warp, unsigned mask, unsigned came) {
  stop_kernel(*current_block, cudaErrorLaunchFailure,
              "simt: deadlock in %s; lanes wait at a collective of warp %u with mask 0x%08x "
              "(0x%08x came)",
              describe(*current_block).text, warp, mask, came);
}

void meet(unsigned mask, WarpCompute compute, void* slot, const void* caller) {
  Block& block = require_fiber("a warp collective");
  const unsigned lane_bit = 1U << block.running_thread() % kWarpSize;
  if ((mask & lane_bit) == 0 && block.job->observer != nullptr) {
    block.job->observer->left_out_of_mask(block, mask, caller);
  }
  join(block, mask | lane_bit, compute, nullptr, slot, caller);
}

}  // namespace detail

namespace wmma {

extern "C" [[gnu::visibility("hidden")]] void simt_wmma_rendezvous(WarpCompute compute, void* slot,
                                                                   const void* caller) {
  using namespace detail;
  constexpr unsigned kAll = ~0U;
  Block& block = require_fiber("a warp collective");
  const unsigned thread = block.running_thread();
  const unsigned first = thread / kWarpSize * kWarpSize;
  WarpState& warp = block.warps[thread / kWarpSize];
  WarpGroup* group = warp.pending;
  const bool joins = group != nullptr && group->compute == compute && group->mask == kAll &&
                     group->site == nullptr;
  const bool whole =
      warp.exited == 0 && block.exited_below <= first && block.thread_count - first >= kWarpSize;
  if (!joins || !whole || block.job->observer != nullptr) {
    return join(block, kAll, compute, nullptr, slot, caller);
  }
  group->arrived |= 1U << thread % kWarpSize;
  group->slots[thread % kWarpSize] = slot;
  ParkedThread self;
  self.thread_idx = ::threadIdx;
  group->waiters[group->count++] = &self;
  if (group->count == kWarpSize) {
    unlink(warp, group);
    compute(group->slots, kAll);
    block.ready.push_first(group->waiters, kWarpSize);
  }
  suspend(block, self);
}

#if defined(__x86_64__) && !defined(SIMT_PORTABLE_FIBERS)

// Lanes return here to another call of the kernel than that which the lane before them has made,
// and a processor predicts returns from calls: the last step is a jump, which it learns.
[[gnu::naked]] void rendezvous(WarpCompute, void*) {
  asm("movq (%rsp), %rdx\n\t"
      "subq $8, %rsp\n\t"
      "call simt_wmma_rendezvous\n\t"
      "addq $8, %rsp\n\t"
      "popq %rcx\n\t"
      "jmp *%rcx");
}

#else

void rendezvous(WarpCompute compute, void* slot) {
  simt_wmma_rendezvous(compute, slot, __builtin_return_address(0));
}

#endif

}  // namespace wmma

void warp_rendezvous(unsigned mask, WarpCompute compute, void* slot) {
  detail::meet(mask, compute, slot, __builtin_return_address(0));
}

unsigned char absent_lane_byte(unsigned reader, unsigned source) {
  const detail::Block& block = *detail::current_block;
  if (block.job->observer == nullptr) return 0;
  return block.job->observer->absent_lane_read(block, {detail::meeting.warp, reader, source},
                                               *detail::meeting.group);
}

unsigned converged_lanes(const void* site, bool may_part) {
  detail::Block& block = detail::require_fiber("__activemask");
  unsigned lanes = 0;
  detail::join(block, ~0U, nullptr, site, &lanes, __builtin_return_address(0));
  const bool parts = may_part && block.job->observer != nullptr;
  return parts ? block.job->observer->converged(lanes) : lanes;
}

}  // namespace simt
