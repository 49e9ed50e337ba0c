/// @file
/// The queues in which threads of a block wait, and what lets them go.
#ifndef SIMT_RUNTIME_WAITING_HPP
#define SIMT_RUNTIME_WAITING_HPP

#include <string>

#include "simt/collective.hpp"

namespace simt::detail {

/// Lanes of a warp that wait for each other. It lies on the stack of the first to arrive, which is
/// the last to need it.
struct WarpGroup {
  unsigned mask;
  unsigned arrived = 0;
  WarpCompute compute;  ///< null: `converged_lanes`, which goes on when nothing else can
  const void* site;     ///< of a `converged_lanes` call
  const void* caller;   ///< where the first call returns to
  WarpGroup* next;
  unsigned count = 0;
  ParkedThread* waiters[kWarpSize];  ///< the first `count`, in the order they came
  void* slots[kWarpSize];            ///< those of the lanes in `arrived`

  WarpGroup(unsigned lanes, WarpCompute function, const void* place, const void* call,
            WarpGroup* others)
      : mask(lanes), compute(function), site(place), caller(call), next(others) {}
};

/// Threads that wait under a name; on the stack of the first of them.
struct NamedQueue {
  const void* key = nullptr;
  unsigned arrived = 0;
  unsigned expected = 0;  ///< of a barrier
  ParkedList waiters;
  NamedQueue* next = nullptr;
  bool at_mbarrier = false;         ///< the key is one
  const char* warpgroup = nullptr;  ///< the instruction for which the warps of one meet, if they do
};

/// Of an instruction for which the four warps of a warpgroup meet: they all have to execute it.
struct WarpgroupCall {
  const char* instruction = nullptr;
  const void* site = nullptr;  ///< where it returns to
};

void release_block_barrier(Block& block);

/// What `__syncwarp` computes: nothing. It is the one meeting of lanes that orders their accesses.
extern const WarpCompute kSynchronise;

/// Joins the running thread's warp in a collective; the call returns to `caller`.
void meet(unsigned mask, WarpCompute compute, void* slot, const void* caller);

/// Lets go the groups of a warp that waited only for a lane that has now ended.
void release_after_exit(Block& block, unsigned warp);

/// Lets go all `converged_lanes` calls of a block in which no thread can run. False if there are
/// none.
bool release_converged(Block& block);

/// Lets all go that wait at an mbarrier in a block in which no thread can run: such waits may end
/// before their time. False if there are none, or if that has not helped for many rounds.
bool release_mbarriers(Block& block);

/// A barrier that orders no accesses, as far as check mode is told.
bool meet_named(Block& block, const void* key, unsigned expected, const WarpgroupCall& call = {});

/// "warp 2", "warps 1 and 3": those of a warpgroup that have not come where the others wait.
std::string absent_warps(const Block& block, const NamedQueue& warpgroup);

/// Says on stderr which threads wait at what.
void report_deadlock(const Block& block);

/// And that all threads of a grid which have started poll memory in vain.
void report_polling(const Block& block, std::uint64_t unstarted);

/// Ends the program with a message.
[[noreturn]] void refuse_to_wait(const char* call);

/// The running thread's block. Ends the program if the thread cannot wait: in host code, and in a
/// kernel that was compiled as a plain loop.
inline Block& require_fiber(const char* call) {
  Block* block = current_block;
  if (block == nullptr || !block->on_fibers) [[unlikely]]
    refuse_to_wait(call);
  return *block;
}

}  // namespace simt::detail

#endif
