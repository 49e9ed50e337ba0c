/// \file
/// Counters of the kernels that a test launches, where the program counts: kernels compiled with
/// `cucc --count`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "simt/inspect/count/counts.hpp"

namespace tut {

using simt::inspect::Counts;
using simt::inspect::Traffic;
using simt::inspect::TrafficCounts;
using simt::inspect::WorkCounts;

/// An array in static shared memory.
struct SharedArray {
  std::string name;
  std::size_t element = 0;  ///< in bytes
  std::vector<std::size_t> extents;
};

/// What one source line did, in all launches of one kernel with one shape.
struct LineRecord {
  std::string kernel;
  std::string kernel_file;
  int kernel_line = 0;
  std::string file;  ///< empty: of no line that is known
  int line = 0;
  bool exact = true;  ///< false: some requests may have been counted as several
  TrafficCounts counts;
  SharedArray conflicts =
      {};  ///< where its worst bank conflict is; no name: unknown, or there is none
};

struct Counters {
  std::vector<LineRecord> lines;
  WorkCounts work = {};

  TrafficCounts total() const;
  /// Of global memory, by loads, stores and atomics.
  std::uint64_t bytes_moved() const;
};

/// While one lives, a call that is tried on device memory (run_trial) is made once and counted.
class CountingTrial {
 public:
  CountingTrial();
  CountingTrial(const CountingTrial&) = delete;
  CountingTrial& operator=(const CountingTrial&) = delete;
  ~CountingTrial();

  /// The one that lives; null if none does.
  static CountingTrial* current() noexcept;

  void add(Counters counters);
  /// The counters of the one call. Throws std::logic_error if there was none, or more than one.
  const Counters& counters() const;

 private:
  std::vector<Counters> trials_;
};

/// Does this program count?
bool can_count();

/// Runs `call` and the kernels that it launches to their end, and returns the kernels' counters;
/// empty if the program does not count.
Counters counted(const std::function<void()>& call);

}  // namespace tut
