#include "worker.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "device_limits.hpp"
#include "observer.hpp"
#include "shared_use.hpp"
#include "suspend.hpp"
#include "waiting.hpp"

namespace simt::detail {

__thread Block* current_block = nullptr;

namespace {

constexpr std::size_t kSignalStack = 64 * 1024;

// Where every fiber begins: it runs threads of the block until all have started, then is idle until
// a block takes it again. It calls nothing but the threads, so that every fiber that is left and
// every one that is entered have the same calls open: processors predict returns by counting them.
void fiber_main() {
  Fiber& self = *current_block->started;
  arrived_on(self);
  for (;;) {
    Block& block = *current_block;
    block.job->operations->run(block.job->body, block);
    --block.fibers_in_use;
    block.worker->fibers().give_back(&self);
    hand_over(self.start, block.ready.empty() ? find_work(block) : block.ready.pop());
  }
}

std::byte* map_memory(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

uint3 block_index(const Job& job, std::uint64_t linear) {
  if (job.grid.y == 1 && job.grid.z == 1) return {static_cast<unsigned>(linear), 0, 0};
  const std::uint64_t row = linear / job.grid.x;
  return {static_cast<unsigned>(linear % job.grid.x), static_cast<unsigned>(row % job.grid.y),
          static_cast<unsigned>(row / job.grid.y)};
}

}  // namespace

Worker& Worker::current() {
  thread_local Worker worker;
  return worker;
}

Worker::Worker() : fibers_(&fiber_main), signal_stack_(map_memory(kSignalStack)) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* bottom = nullptr;
    pthread_attr_getstack(&attributes, &bottom, &main_.stack_size);
    main_.stack_bottom = bottom;
    pthread_attr_destroy(&attributes);
  }
}

Worker::~Worker() {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  stack_t current{};
  if (sigaltstack(nullptr, &current) == 0 && current.ss_sp == signal_stack_) {
    sigaltstack(&none, nullptr);
  }
  munmap(signal_stack_, kSignalStack);
  release_fiber(main_);
  const auto unmap = [](const std::unique_ptr<Block>& block) {
    if (block) munmap(block->shared_memory, shared_space());
  };
  unmap(block_);
  std::for_each(paused_.begin(), paused_.end(), unmap);
  std::for_each(unused_.begin(), unused_.end(), unmap);
}

// A handler needs a stack of its own where a kernel's has overflowed. A stack that is there already
// (a sanitizer's, a test framework's) serves as well.
void Worker::prepare_signals() {
  install_signal_handlers();
  stack_t stack{};
  if (sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_DISABLE) != 0) {
    stack.ss_sp = signal_stack_;
    stack.ss_size = kSignalStack;
    stack.ss_flags = 0;
    sigaltstack(&stack, nullptr);
  }
}

std::unique_ptr<Block> Worker::take_block() {
  if (!unused_.empty()) {
    std::unique_ptr<Block> block = std::move(unused_.back());
    unused_.pop_back();
    return block;
  }
  auto block = std::make_unique<Block>();
  block->shared_memory = map_memory(shared_space());
  // Behind a block's arrays there is no zero either, which would do no harm in a sum.
  std::memset(block->shared_memory, kUninitialised, shared_space());
  block->worker = this;
  return block;
}

void Worker::work(Job& job) {
  prepare_signals();
  ::blockDim = job.dim;
  ::gridDim = job.grid;
  const int jumped = sigsetjmp(recovery_, 0);
  if (jumped != 0) {
    if (current_block->on_fibers) jumped_to(main_);
    recover(job, jumped == 2);
  } else if (job.operations->fibers) {
    run_on_fibers(job);
  } else {
    run_plain(job);
  }
  current_block = nullptr;
}

void Worker::begin(Block& block, Job& job, std::uint64_t index) {
  block.job = &job;
  block.linear_index = index;
  ++block.generation;
  block.index = block_index(job, index);
  block.dim = job.dim;
  block.grid = job.grid;
  block.cluster_dim = job.cluster;
  block.cluster = nullptr;
  block.thread_count = job.threads;
  block.next_thread = 0;
  block.next_idx = {0, 0, 0};
  block.on_fibers = job.operations->fibers;
  block.barrier_full = nullptr;
  block.fibers_in_use = 0;
  block.vote_true = 0;
  block.dynamic_size = job.dynamic_shared;
  block.dynamic_filled = false;
  block.shared_used = job.dynamic_shared;
  block.shared_count = 0;
  block.shared_gaps = 0;
  block.static_size = 0;
  block.grid_arrived = 0;
  block.named = nullptr;
  std::fill(std::begin(block.early_arrivals), std::end(block.early_arrivals),
            Block::EarlyArrivals{});
  block.vain_rounds = 0;
  block.pause = Block::Pause::none;
  if (block.warps_used) {
    std::fill(std::begin(block.warps), std::end(block.warps), WarpState{});
    block.warps_used = false;
  }
  ::blockIdx = block.index;
  current_block = &block;
  if (job.observer != nullptr) job.observer->block_begins(block);
}

void Worker::run_plain(Job& job) {
  if (!block_) block_ = take_block();
  for (;;) {
    const std::uint64_t first = job.next.fetch_add(job.chunk, std::memory_order_relaxed);
    const std::uint64_t last = std::min(first + job.chunk, job.blocks);
    for (std::uint64_t i = first; i < last; ++i) {
      if (job.stop.load(std::memory_order_relaxed)) return;
      begin(*block_, job, job.order.block(i));
      job.operations->run(job.body, *block_);
      note_static_shared(*block_);
      if (job.observer != nullptr) job.observer->block_ends(*block_);
    }
    if (last >= job.blocks) return;
  }
}

void Worker::run_on_fibers(Job& job) {
  Patience patience(job.progress);
  job.progress.worker_enters();
  unsigned idle_rounds = 0;
  while (!job.stop.load(std::memory_order_relaxed)) {
    bool progress = start_block(job);
    if (paused_.empty() && !progress && job.next.load() >= job.clusters()) break;
    if (visit_paused(job)) progress = true;
    if (progress) {
      job.progress.advance();
      idle_rounds = 0;
    } else if (patience.ends()) {
      report_stuck(job);
    } else if (++idle_rounds > 64) {
      sched_yield();
    }
  }
  job.progress.worker_leaves();
  drop_blocks();
}

// Takes the next cluster, if there is one and the device has room for it.
bool Worker::claim(Job& job, std::uint64_t& place) {
  if (job.next.load() >= job.clusters()) return false;
  const std::uint64_t before = job.resident.fetch_add(job.cluster_size);
  if (before != 0 && before + job.cluster_size > job.most_resident) {
    job.resident.fetch_sub(job.cluster_size);
    return false;
  }
  place = job.next.fetch_add(1);
  if (place < job.clusters()) return true;
  job.resident.fetch_sub(job.cluster_size);
  return false;
}

// Starts the next block, if there is one and the device has room for it.
bool Worker::start_block(Job& job) {
  if (job.cluster_size != 1) return start_cluster(job);
  std::uint64_t place = 0;
  if (!claim(job, place)) return false;
  if (!block_) block_ = take_block();
  begin(*block_, job, job.order.block(place));
  enter(*block_);
  settle(job, *block_);
  if (block_->pause != Block::Pause::none) paused_.push_back(std::move(block_));
  return true;
}

void Worker::enter(Block& block) {
  block.pause = Block::Pause::none;
  hand_over(main_.start, block.ready.empty() ? start_fiber(block) : block.ready.pop());
}

void switch_watched(ParkedThread* from, ParkedThread* to) {
  current_block->worker->switch_watched(from, to);
}

void Worker::switch_watched(ParkedThread* from, ParkedThread* to) {
  // Where `to` itself lies tells nothing: AddressSanitizer may have moved it off the stack.
  from->stack_pointer = __builtin_frame_address(0);
  Fiber* left = watched_;
  Fiber* entered = fibers_.find(to->stack_pointer);
  watched_ = entered != nullptr ? entered : &main_;
  switch_stacks(left != nullptr ? *left : main_, *watched_, from, to);
}

// What a block's coming to a halt means to the rest of the grid.
void Worker::settle(Job& job, Block& block) {
  if (block.pause == Block::Pause::none) {
    note_static_shared(block);
    if (job.observer != nullptr) job.observer->block_ends(block);
    if (job.cooperative) job.finished.fetch_add(1);
    job.resident.fetch_sub(1);
  } else if (block.pause == Block::Pause::grid_barrier) {
    block.grid_phase = job.grid_phase.load();
    if (job.grid_arrived.fetch_add(1) + 1 == job.blocks) {
      job.grid_arrived.store(0);
      job.grid_phase.fetch_add(1);
      if (job.observer != nullptr) job.observer->grid_synchronised(job);
    }
  }
}

// Continues the blocks that wait for others, where they can. False if none can.
bool Worker::visit_paused(Job& job) {
  bool progress = false;
  for (std::size_t i = 0; i < paused_.size();) {
    Block& block = *paused_[i];
    if (block.pause == Block::Pause::grid_barrier) {
      if (block.grid_phase == job.grid_phase.load()) {
        if (job.finished.load() != 0 &&
            job.finished.load() + job.grid_arrived.load() == job.blocks) {
          if (job.fail(cudaErrorLaunchFailure)) {
            if (job.observer != nullptr) job.observer->grid_deadlocked(block);
            std::fprintf(stderr,
                         "simt: deadlock in %s: it waits at a grid barrier that blocks which have "
                         "ended never reached\n",
                         describe(block).text);
          }
          return true;
        }
        ++i;
        continue;
      }
      block.grid_arrived = 0;
      block.ready.take(block.grid_waiters);
    }
    if (block.pause == Block::Pause::cluster && !wake_cluster(job, block)) {
      ++i;
      continue;
    }
    ::blockIdx = block.index;
    current_block = &block;
    const bool polls = block.pause == Block::Pause::yielded;
    const std::uint64_t before = block.steps();
    enter(block);
    settle(job, block);
    if (!polls || block.pause != Block::Pause::yielded || block.steps() != before) progress = true;
    if (block.pause == Block::Pause::none) {
      std::unique_ptr<Block> ended = std::move(paused_[i]);
      paused_.erase(paused_.begin() + static_cast<std::ptrdiff_t>(i));
      end_block(std::move(ended));
    } else {
      ++i;
    }
  }
  return progress;
}

void Worker::report_stuck(Job& job) {
  if (paused_.empty() || !job.fail(cudaErrorLaunchTimeout)) return;
  const Block& block = *paused_.front();
  const std::uint64_t unstarted =
      job.blocks - std::min(job.next.load() * job.cluster_size, job.blocks);
  if (job.observer != nullptr) job.observer->polls_in_vain(block, unstarted);
  report_polling(block, unstarted);
}

void Worker::drop_blocks() {
  if (paused_.empty()) return;
  for (auto& block : paused_) {
    block->warps_used = true;
    block->ready.clear();
    block->barrier_waiters.clear();
    block->grid_waiters.clear();
    unused_.push_back(std::move(block));
  }
  paused_.clear();
  for (auto& cluster : clusters_) {
    for (auto& ended : cluster->ended) unused_.push_back(std::move(ended));
  }
  clusters_.clear();
  fibers_.reset();
}

void Worker::abandon() { siglongjmp(recovery_, 1); }

void Worker::abandon_after_signal(int signal, const void* address) {
  signal_ = signal;
  fault_address_ = address;
  siglongjmp(recovery_, 2);
}

void Worker::recover(Job& job, bool signalled) {
  watched_ = &main_;
  if (signalled) report_signal(job);
  current_block = nullptr;
  if (block_) paused_.push_back(std::move(block_));
  drop_blocks();
}

}  // namespace simt::detail
