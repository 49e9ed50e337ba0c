#include "grid_progress.hpp"

#include <ctime>

namespace simt::detail {

namespace {

constexpr std::uint64_t kRounds = 4096;
constexpr std::chrono::seconds kTime{5};

/// What this OS thread has used of a processor.
std::chrono::nanoseconds time_used() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

bool Patience::ends() {
  if (const std::uint64_t steps = grid_.steps(); steps != steps_ || rounds_ == 0) {
    steps_ = steps;
    rounds_ = 1;
    gave_up_ = false;
    begin_ = time_used();
    return false;
  }
  if (++rounds_ % kRounds != 0) return false;
  if (!gave_up_ && time_used() - begin_ >= kTime) gave_up_ = grid_.give_up(steps_);
  return gave_up_ && grid_.is_stuck();
}

}  // namespace simt::detail
