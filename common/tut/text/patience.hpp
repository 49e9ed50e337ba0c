#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>

namespace tut {

/// What a process uses, and all that it has started and that is still there.
struct ProcessUse {
  std::size_t resident_bytes = 0;  ///< pages that several share count for each
  int processes = 0;
  double seconds = 0;  ///< of processor time, so far
};

/// Looks through all processes of the machine, which costs a millisecond or two.
ProcessUse use_of(pid_t process);

/// Processor time that a process, and all that it has started, have used so far. 0 if there is no
/// such process.
double processor_seconds(pid_t process);

/// When to give up waiting for a process: it has used so much processor time from now on, or it has
/// had none for as long, because it waits for something that does not come. A program takes longer
/// by the clock on a busy machine; that alone is no reason.
class Patience {
 public:
  Patience(pid_t process, double seconds);

  /// Must be called a few times within these seconds, at any moments.
  bool is_over();

  /// The same, with what processor_seconds says, from someone who has just asked.
  bool is_over(double used);

 private:
  using Clock = std::chrono::steady_clock;

  pid_t process_;
  double seconds_;
  double first_, used_;  // processor time when it was first and last asked for
  Clock::time_point last_use_ = Clock::now();
};

}  // namespace tut
