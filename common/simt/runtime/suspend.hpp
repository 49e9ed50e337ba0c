/// @file
/// Changing from one thread of a block to another.
#ifndef SIMT_RUNTIME_SUSPEND_HPP
#define SIMT_RUNTIME_SUSPEND_HPP

#include "fiber_switch.hpp"
#include "worker.hpp"

namespace simt::detail {

/// Another thread of the block for this OS thread when the ready queue is empty: one that has not
/// started; or the worker's own stack, when the block is over or must wait for other blocks. If
/// neither is left the block is in a deadlock, and is abandoned.
ParkedThread* find_work(Block& block);

/// Leaves the running thread, `self`, and continues `next`.
[[gnu::always_inline]] inline void hand_over(ParkedThread& self, ParkedThread* next) {
  ::threadIdx = next->thread_idx;
  switch_thread(&self, next);
}

/// Runs another thread than `self`, which its caller has put into a queue.
[[gnu::always_inline]] inline void suspend(Block& block, ParkedThread& self) {
  ParkedThread* next = block.ready.empty() ? find_work(block) : block.ready.pop();
  if (next != &self) hand_over(self, next);
}

/// Lets each thread of the block run that can, until it waits: what they do meanwhile comes before
/// the running thread goes on.
void let_others_run(Block& block);

}  // namespace simt::detail

#endif
