/// @file
/// Tells when the resident blocks of a grid wait for each other in vain: all their threads that are
/// left poll memory, and none comes any further.
///
/// A loop that polls may do so for a good reason for a while. So it takes many rounds and seconds
/// of every worker's time in which no block started or ended, no thread ended and no barrier was
/// passed.
#ifndef SIMT_RUNTIME_GRID_PROGRESS_HPP
#define SIMT_RUNTIME_GRID_PROGRESS_HPP

#include <atomic>
#include <chrono>
#include <cstdint>

namespace simt::detail {

/// Of one launch.
class GridProgress {
 public:
  void worker_enters() { workers_.fetch_add(1); }
  void worker_leaves() {
    workers_.fetch_sub(1);
    advance();
  }

  /// A block, or a thread of one, has come further.
  void advance() {
    std::uint64_t old = state_.load(std::memory_order_relaxed);
    while (!state_.compare_exchange_weak(old, (old / kStep + 1) * kStep)) {
    }
  }

  std::uint64_t steps() const { return state_.load() / kStep; }

  /// A worker has given up since the last step. False if there has been another meanwhile.
  bool give_up(std::uint64_t steps) {
    std::uint64_t old = state_.load();
    while (old / kStep == steps) {
      if (state_.compare_exchange_weak(old, old + 1)) return true;
    }
    return false;
  }

  /// All workers have given up.
  bool is_stuck() const { return state_.load() % kStep == workers_.load(); }

 private:
  static constexpr std::uint64_t kStep = 1 << 16;
  std::atomic<std::uint64_t> state_{
      0};  ///< steps, times kStep, and how many gave up since the last
  std::atomic<std::uint64_t> workers_{0};
};

/// Of one worker in a launch.
class Patience {
 public:
  explicit Patience(GridProgress& grid) : grid_(grid) {}

  /// All blocks of this worker had a turn in which none made progress. True if none ever will.
  bool ends();

 private:
  GridProgress& grid_;
  std::uint64_t steps_ = 0;
  std::uint64_t rounds_ = 0;
  bool gave_up_ = false;
  std::chrono::nanoseconds begin_{};
};

}  // namespace simt::detail

#endif
