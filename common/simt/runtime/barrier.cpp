#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "cluster.hpp"
#include "mbarrier_state.hpp"
#include "observer.hpp"
#include "simt/ptx/threads.hpp"
#include "suspend.hpp"
#include "waiting.hpp"
#include "worker.hpp"

namespace simt {

namespace detail {
namespace {

/// CUDA promises no order of the warps behind a barrier. With a seed a block turns theirs, by as
/// many warps at each barrier: where it is watched, since every kernel is on fibers then.
void turn_warps(Block& block) {
  ParkedQueue& waiters = block.barrier_waiters;
  const unsigned warps = (waiters.size() + kWarpSize - 1) / kWarpSize;
  if (warps < 2) return;
  const unsigned turn = draw_turn(block.job->seed, block.linear_index, warps);
  for (unsigned i = 0; i < turn * kWarpSize; ++i) waiters.push(waiters.pop());
}

}  // namespace

void release_block_barrier(Block& block) {
  block.vote_result = block.vote_true;
  block.vote_threads = block.barrier_waiters.size();
  block.vote_true = 0;
  ++block.barriers;
  if (Observer* watching = block.job->observer) {
    watching->block_synchronised(block);
    if (block.job->seed != 0) turn_warps(block);
  }
  block.ready.take(block.barrier_waiters);
  const unsigned all = block.fibers_in_use;
  block.barrier_full = all > 1 ? block.barrier_waiters.end_of(all) : nullptr;
}

void refuse_to_wait(const char* call) {
  std::fprintf(stderr, "simt: %s called %s\n", call,
               on_device() ? "in a kernel that runs as a plain loop" : "outside a kernel");
  std::abort();
}

}  // namespace detail

using detail::Block;
using detail::NamedQueue;
using detail::Observer;

namespace {

[[gnu::always_inline]] inline void wait_for_block(Block& block, const void* site) {
  detail::ParkedThread self;
  self.thread_idx = ::threadIdx;
  self.site = site;
  block.barrier_waiters.push(&self);
  if (block.barrier_waiters.end() == block.barrier_full) detail::release_block_barrier(block);
  detail::suspend(block, self);
}

}  // namespace

void block_barrier() {
  wait_for_block(detail::require_fiber("__syncthreads"), __builtin_return_address(0));
}

BarrierVote block_barrier_vote(bool predicate) {
  Block& block = detail::require_fiber("__syncthreads_count");
  block.vote_true += predicate ? 1 : 0;
  wait_for_block(block, __builtin_return_address(0));
  return {block.vote_result, block.vote_threads};
}

namespace {

NamedQueue* find_queue(const Block& block, const void* key) {
  NamedQueue* queue = block.named;
  while (queue != nullptr && queue->key != key) queue = queue->next;
  return queue;
}

void unlink(Block& block, NamedQueue* queue) {
  NamedQueue** link = &block.named;
  while (*link != queue) link = &(*link)->next;
  *link = queue->next;
}

constexpr char kNumberedKeys[detail::kNumberedBarriers] = {};

/// Those at a barrier of PTX's at which nobody has waited; of another one, none.
unsigned take_early_arrivals(Block& block, const void* key) {
  const auto number =
      reinterpret_cast<std::uintptr_t>(key) - reinterpret_cast<std::uintptr_t>(&kNumberedKeys[0]);
  return number < detail::kNumberedBarriers
             ? std::exchange(block.early_arrivals[number], Block::EarlyArrivals{}).arrived
             : 0;
}

}  // namespace

bool detail::meet_named(Block& block, const void* key, unsigned expected,
                        const WarpgroupCall& call) {
  NamedQueue own;
  NamedQueue* queue = find_queue(block, key);
  if (queue == nullptr) {
    own.key = key;
    own.next = block.named;
    own.expected = expected;
    own.warpgroup = call.instruction;
    own.arrived = take_early_arrivals(block, key);
    block.named = queue = &own;
  }
  detail::ParkedThread self;
  self.thread_idx = ::threadIdx;
  self.site = call.site;
  queue->waiters.push(&self);
  const bool last = ++queue->arrived == expected;
  if (last) {
    unlink(block, queue);
    if (Observer* const watching = block.job->observer) watching->phase_ended(block, key);
    block.ready.take(queue->waiters);
  }
  detail::suspend(block, self);
  return last;
}

bool named_barrier(const void* key, unsigned expected) {
  Block& block = detail::require_fiber("a barrier");
  if (expected <= 1) return true;
  Observer* const watching = block.job->observer;
  if (watching == nullptr) return detail::meet_named(block, key, expected);
  watching->released(key);
  const std::size_t phase = watching->ended_phases(block, key);
  const bool last = detail::meet_named(block, key, expected);
  watching->acquired(block, key, phase);
  return last;
}

namespace {

/// What is wrong with a call of one of PTX's barriers; "" if nothing is.
std::string fault_of(const Block& block, unsigned number, unsigned threads) {
  if (number >= detail::kNumberedBarriers) {
    return "there is no barrier " + std::to_string(number) +
           "; a block has those of the numbers 0 to 15";
  }
  if (threads == 0 || threads % detail::kWarpSize != 0) {
    return "it expects " + std::to_string(threads) + " threads, which is no multiple of 32";
  }
  const NamedQueue* const queue = find_queue(block, &kNumberedKeys[number]);
  const unsigned others =
      queue != nullptr ? queue->expected : block.early_arrivals[number].expected;
  if (others == 0 || others == threads) return "";
  return "it expects " + std::to_string(threads) + " threads at barrier " + std::to_string(number) +
         ", and those that have come expect " + std::to_string(others);
}

Block& require_numbered(unsigned number, unsigned threads, const char* call, const void* site) {
  Block& block = detail::require_fiber(call);
  const std::string fault = fault_of(block, number, threads);
  if (fault.empty()) return block;
  if (Observer* const watching = block.job->observer) watching->barrier_refused(block, fault, site);
  detail::refuse_instruction(cudaErrorIllegalInstruction, call, "", fault);
}

/// A warp counts as 32 threads: the last one of the block, for those that it has not.
unsigned lanes_beyond(const Block& block) {
  const bool is_last = block.running_thread() + 1 == block.thread_count;
  return is_last ? -block.thread_count % detail::kWarpSize : 0;
}

void count_arrivals(Block& block, unsigned number, unsigned threads, unsigned arrivals) {
  NamedQueue* const queue = find_queue(block, &kNumberedKeys[number]);
  if (queue == nullptr) {
    Block::EarlyArrivals& early = block.early_arrivals[number];
    early.arrived = static_cast<std::uint16_t>(early.arrived + arrivals);
    early.expected = static_cast<std::uint16_t>(threads);
    if (early.arrived == threads) early = {};  // all have come, and nobody waits
  } else if ((queue->arrived += arrivals) == threads) {
    unlink(block, queue);
    if (Observer* const watching = block.job->observer) {
      watching->phase_ended(block, &kNumberedKeys[number]);
    }
    block.ready.take(queue->waiters);
  }
}

}  // namespace

void ptx::barrier(u32 number, u32 threads) {
  Block& block = require_numbered(number, threads, "bar.sync", __builtin_return_address(0));
  if (const unsigned more = lanes_beyond(block)) count_arrivals(block, number, threads, more);
  named_barrier(&kNumberedKeys[number], threads);
}

void ptx::barrier_arrive(u32 number, u32 threads) {
  Block& block = require_numbered(number, threads, "bar.arrive", __builtin_return_address(0));
  if (Observer* const watching = block.job->observer) watching->released(&kNumberedKeys[number]);
  count_arrivals(block, number, threads, 1 + lanes_beyond(block));
}

namespace {

/// Whether it has been notified.
bool park(const void* key, bool at_mbarrier) {
  Block& block = detail::require_fiber("a wait");
  NamedQueue own;
  NamedQueue* queue = find_queue(block, key);
  if (queue == nullptr) {
    own.key = key;
    own.next = block.named;
    block.named = queue = &own;
  }
  queue->at_mbarrier = at_mbarrier;
  detail::ParkedThread self;
  self.thread_idx = ::threadIdx;
  queue->waiters.push(&self);
  detail::suspend(block, self);
  return !self.expired;
}

}  // namespace

void wait_on(const void* key) { park(key, false); }
bool wait_at_mbarrier(const void* key) { return park(key, true); }

bool detail::release_mbarriers(Block& block) {
  constexpr unsigned kMostRounds = 64;
  if (block.vain_rounds >= kMostRounds) return false;
  bool released = false;
  for (NamedQueue* queue = block.named; queue != nullptr;) {
    NamedQueue* const next = queue->next;
    if (queue->at_mbarrier) {
      unlink(block, queue);
      while (ParkedThread* const thread = queue->waiters.pop()) {
        thread->expired = true;
        block.ready.push(thread);
      }
      released = true;
    }
    queue = next;
  }
  ++block.vain_rounds;
  return released;
}

void notify_all(const void* key) { detail::notify_in(*detail::current_block, key); }

void detail::notify_in(Block& block, const void* key) {
  NamedQueue* queue = find_queue(block, key);
  if (queue == nullptr) return;
  unlink(block, queue);
  block.ready.take(queue->waiters);
}

void yield() {
  Block* block = detail::current_block;
  if (block == nullptr || !block->on_fibers) return;
  // Now and then other blocks must have their turn too, as the thread may wait for one of them.
  constexpr unsigned kYieldsOfBlock = 64;
  detail::ParkedThread self;
  self.thread_idx = ::threadIdx;
  self.site = __builtin_return_address(0);
  const bool alone = block->ready.empty();
  block->ready.push(&self);
  if (block->next_thread != block->thread_count) {
    detail::hand_over(self, detail::start_fiber(*block));
  } else if (alone || ++block->yields % kYieldsOfBlock == 0) {
    block->pause = Block::Pause::yielded;
    detail::hand_over(self, block->worker->main_thread());
  } else {
    detail::suspend(*block, self);
  }
}

void detail::let_others_run(Block& block) {
  constexpr int kMostRounds = 8;
  for (int round = 0; round < kMostRounds && !block.ready.empty(); ++round) {
    detail::ParkedThread self;
    self.thread_idx = ::threadIdx;
    block.ready.push(&self);
    detail::suspend(block, self);
  }
}

bool is_cooperative_launch() {
  return detail::current_block != nullptr && detail::current_block->job->cooperative;
}

void grid_barrier() {
  Block& block = detail::require_fiber("a grid barrier");
  if (!block.job->cooperative) {
    detail::stop_kernel(block, cudaErrorLaunchFailure,
                        "simt: grid barrier in %s, which was not launched with "
                        "cudaLaunchCooperativeKernel",
                        detail::describe(block).text);
  }
  detail::ParkedThread self;
  self.thread_idx = ::threadIdx;
  self.site = __builtin_return_address(0);
  block.grid_waiters.push(&self);
  ++block.grid_arrived;
  detail::suspend(block, self);
}

void trap() {
  Block* block = detail::current_block;
  if (block == nullptr) std::abort();
  const uint3 thread = ::threadIdx;
  detail::stop_kernel(*block, cudaErrorLaunchFailure, "simt: __trap() in %s, thread (%u,%u,%u)",
                      detail::describe(*block).text, thread.x, thread.y, thread.z);
}

}  // namespace simt
