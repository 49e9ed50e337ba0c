/// @file
/// The OS threads that share the blocks of a grid.
#ifndef SIMT_RUNTIME_POOL_HPP
#define SIMT_RUNTIME_POOL_HPP

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "job.hpp"

namespace simt::detail {

class Pool {
 public:
  static Pool& instance();

  /// Runs all blocks of a job, on this thread and on whichever workers are free, and returns when
  /// the last has ended.
  void run(Job& job);

  /// Threads that work on one grid: SIMT_THREADS, or the processors this process may use.
  unsigned size() const { return size_; }

 private:
  Pool();
  void start_threads();
  void serve(std::uint32_t seen);
  void help();

  const unsigned size_;
  std::mutex launch_;  ///< one grid at a time is shared; a second host thread runs its own alone
  std::vector<std::thread> threads_;  ///< detached; they live as long as the program

  // The door to the shared job: open while it has a job, counting those inside.
  alignas(64) std::atomic<std::uint32_t> door_{kClosed};
  std::atomic<Job*> job_{nullptr};
  alignas(64) std::atomic<std::uint32_t> generation_{0};  ///< rises with every job, and to wake all
  std::atomic<unsigned> sleeping_{0};

  static constexpr std::uint32_t kClosed = 1U << 31;
};

}  // namespace simt::detail

#endif
