/// @file
/// The points where threads of a block wait for each other. Everything here is for kernels that run
/// on fibers (`Launch::run_fibers`); elsewhere it ends the program with a message.
#ifndef SIMT_COLLECTIVE_HPP
#define SIMT_COLLECTIVE_HPP

#include <cstdint>

#include "simt/block.hpp"

namespace simt {

// Barriers of the whole block. Threads that have ended count as arrived.

/// `__syncthreads()`.
void block_barrier();

struct BarrierVote {
  unsigned true_count;    ///< threads whose predicate held
  unsigned thread_count;  ///< threads that voted
};

/// `__syncthreads_count/and/or`: waits for the block and counts the predicate.
BarrierVote block_barrier_vote(bool predicate);

// Rendezvous of some lanes of one warp.

/// Computes a collective for all its lanes at once. `slots[lane]` is what that lane passed; it is
/// null for lanes outside `arrived`. Each lane's result goes wherever its slot says.
using WarpCompute = void (*)(void* const* slots, unsigned arrived);

/// Waits until every living lane of `mask` has called this with the same mask and the same
/// `compute`; the last to arrive computes for all. Calls with other masks may wait meanwhile. The
/// caller's lane is added to `mask` if it is missing.
void warp_rendezvous(unsigned mask, WarpCompute compute, void* slot);

/// The operations that move one 64-bit value per lane.
enum class WarpOperation : std::uint8_t {
  sync,
  shuffle_index,  ///< parameter: the source lane
  shuffle_up,     ///< parameter: the distance
  shuffle_down,
  shuffle_xor,
  any,  ///< value: the predicate
  all,
  ballot,
  match_any,  ///< value: compared as 64 bits
  match_all,  ///< the mask if all values agree, else 0
  add,        ///< 32-bit unsigned (the same bits for signed)
  min_unsigned,
  max_unsigned,
  min_signed,
  max_signed,
  bit_and,
  bit_or,
  bit_xor
};

/// One lane's part in a collective. Shuffles work within segments of `width` lanes (a power of two)
/// and give back the lane's own value when the source lies outside its segment, 0 when it does not
/// take part.
std::uint64_t warp_collective(WarpOperation operation, unsigned mask, std::uint64_t value,
                              int parameter = 0, int width = 32);

namespace detail {

/// The lane that a shuffle reads from; the own lane where the source lies outside the segment.
template <WarpOperation kOperation>
[[gnu::always_inline]] constexpr unsigned source_lane(unsigned lane, int parameter, int width) {
  const auto own = static_cast<int>(lane);
  const int first = own & ~(width - 1);
  const int last = first + width - 1;
  int source = own;
  if constexpr (kOperation == WarpOperation::shuffle_index) {
    source = first + (parameter & (width - 1));
  } else if constexpr (kOperation == WarpOperation::shuffle_up) {
    if (own - parameter >= first) source = own - parameter;
  } else if constexpr (kOperation == WarpOperation::shuffle_down) {
    if (own + parameter <= last) source = own + parameter;
  } else {
    if ((own ^ parameter) <= last) source = own ^ parameter;
  }
  return static_cast<unsigned>(source) % kWarpSize;
}

}  // namespace detail

/// While a collective computes: what lane `reader` gets of lane `source`, which takes no part.
/// Every byte of the value is this one; 0, but where check mode tries whether it matters.
unsigned char absent_lane_byte(unsigned reader, unsigned source);

/// `__activemask()`: the lanes of this warp that are at the same call together with this one. Waits
/// until every other living lane is here too or is held up elsewhere. `site` tells calls apart.
/// Check mode names fewer of them if `may_part`, as a GPU may.
unsigned converged_lanes(const void* site, bool may_part);

// Waiting for anything else.

/// A barrier of `expected` threads of the block, named by any address; ended threads do not count.
/// Returns true in the thread that arrived last.
bool named_barrier(const void* key, unsigned expected);

/// Parks this thread until `notify_all(key)`; the caller checks its condition again, in a loop.
void wait_on(const void* key);
/// The same at an mbarrier; it may also end where no thread of the block could go on, and then
/// returns false.
bool wait_at_mbarrier(const void* key);
void notify_all(const void* key);

/// Lets other threads of the block (and blocks of the grid) run; for loops that poll memory.
void yield();

/// A barrier of all blocks of a cooperative launch, called by all their threads.
void grid_barrier();

/// True in a kernel launched with cudaLaunchCooperativeKernel.
bool is_cooperative_launch();

// Where this thread is.

/// This thread's index in its block, x fastest.
inline unsigned linear_thread() { return detail::current_block->running_thread(); }
inline unsigned lane_id() { return linear_thread() % detail::kWarpSize; }
inline unsigned warp_id() { return linear_thread() / detail::kWarpSize; }

/// Ends the kernel with an error: `__trap()`.
[[noreturn]] void trap();

}  // namespace simt

[[gnu::always_inline]] inline void __syncthreads() { simt::block_barrier(); }
inline int __syncthreads_count(int predicate) {
  return static_cast<int>(simt::block_barrier_vote(predicate != 0).true_count);
}
inline int __syncthreads_and(int predicate) {
  const simt::BarrierVote vote = simt::block_barrier_vote(predicate != 0);
  return vote.true_count == vote.thread_count ? 1 : 0;
}
inline int __syncthreads_or(int predicate) {
  return simt::block_barrier_vote(predicate != 0).true_count != 0 ? 1 : 0;
}

#endif
