#include "pool.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "worker.hpp"

namespace simt::detail {

namespace {

// How long an idle worker looks for the next launch before it sleeps.
constexpr auto kSpin = std::chrono::microseconds(50);
// How many seconds a launch must last to be worth waking those that sleep.
constexpr float kWorthWaking = 10e-6F;
// How many seconds the blocks last that a worker claims at once: long beside what a claim costs,
// short beside what the others wait for the one that claimed the last blocks.
constexpr float kClaimed = 4e-6F;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void futex_wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
}

unsigned thread_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  unsigned processors = 1;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    processors = static_cast<unsigned>(CPU_COUNT(&set));
  }
  const char* wish = std::getenv("SIMT_THREADS");
  if (wish == nullptr || *wish == '\0') return std::max(1U, processors);
  char* end = nullptr;
  const long count = std::strtol(wish, &end, 10);
  if (*end != '\0' || count < 1 || count > 1024) {
    std::fprintf(stderr, "simt: SIMT_THREADS is '%s'; expected a number from 1 to 1024\n", wish);
    std::exit(1);
  }
  return static_cast<unsigned>(count);
}

// How many blocks a worker claims at once, where all workers together took so long for one in the
// kernel's last launch.
std::uint64_t claimed_blocks(const Job& job, unsigned workers, float block_seconds) {
  if (job.cooperative) return 1;
  const float most = static_cast<float>(job.blocks) / static_cast<float>(workers * 8);
  const bool first_launch = block_seconds == 1.0F;
  const float wanted = kClaimed / (block_seconds * static_cast<float>(workers));
  return static_cast<std::uint64_t>(std::max(1.0F, first_launch ? most : std::min(most, wanted)));
}

}  // namespace

Pool& Pool::instance() {
  // Never destroyed: kernels may run in destructors of other static objects.
  static Pool& pool = *new Pool;
  return pool;
}

Pool::Pool() : size_(thread_count()) {}

void Pool::start_threads() {
  for (unsigned i = 1; i < size_; ++i) {
    // The last job that it has seen is passed in, as the first job may be there already when it
    // starts.
    threads_.emplace_back([this, seen = generation_.load()] { serve(seen); });
    threads_.back().detach();
  }
}

// A worker's life: spin for a while after each job, as the next may be near; then sleep.
void Pool::serve(std::uint32_t seen) {
  for (;;) {
    const auto spin_end = std::chrono::steady_clock::now() + kSpin;
    unsigned rounds = 0;
    while (generation_.load(std::memory_order_acquire) == seen) {
      pause();
      if (++rounds % 64 == 0 && std::chrono::steady_clock::now() > spin_end) {
        sleeping_.fetch_add(1);
        while (generation_.load() == seen) futex_wait(generation_, seen);
        sleeping_.fetch_sub(1);
      }
    }
    seen = generation_.load();
    help();
  }
}

void Pool::help() {
  const std::uint32_t before = door_.fetch_add(1);
  if ((before & kClosed) == 0) Worker::current().work(*job_.load());
  door_.fetch_sub(1);
}

void Pool::run(Job& job) {
  Worker& worker = Worker::current();
  if (job.blocks == 1 || size_ == 1 || !launch_.try_lock()) {
    worker.work(job);
    return;
  }
  const std::lock_guard lock(launch_, std::adopt_lock);
  if (threads_.empty()) start_threads();
  const auto start = std::chrono::steady_clock::now();
  const float expected = job.kernel->block_seconds;
  job.chunk = claimed_blocks(job, size_, expected);
  job_.store(&job);
  door_.fetch_and(~kClosed);
  generation_.fetch_add(1);
  // Waking costs microseconds; spinning workers have seen the generation already.
  if (sleeping_.load() != 0 && expected * static_cast<float>(job.blocks) > kWorthWaking) {
    futex_wake_all(generation_);
  }
  worker.work(job);
  door_.fetch_or(kClosed);
  while (door_.load(std::memory_order_acquire) != kClosed) pause();
  const std::chrono::duration<float> taken = std::chrono::steady_clock::now() - start;
  job.kernel->block_seconds.store(taken.count() / static_cast<float>(job.blocks));
}

}  // namespace simt::detail
