/// \file
/// Races of one launch, held until it ends: others may show one in another light.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "findings.hpp"
#include "shadow.hpp"

namespace simt::inspect {

/// Whose accesses race, as far as is known.
enum class Parties { launches, blocks, block, warp, block_of_one_warp };

/// What orders accesses to the shared memory of other blocks.
inline constexpr const char* kClusterBarrier =
    "let all blocks of the cluster meet between the two: cluster.sync(), or barrier.cluster.arrive "
    "and .wait";

/// A race between two accesses. What its finding says is not complete, and has no cure yet.
struct Race {
  Finding finding;  ///< `at` is the access that comes later in the program, `other` the earlier
  Parties parties = Parties::launches;
  bool both_write = false;      ///< the same threads both write there, at these lines or at others
  bool between_rounds = false;  ///< most likely, from one round of a loop to the next
  SourceLine passed;  ///< the barrier between the two lines of a function, if it is rounds or calls
                      ///< of that function that they lie between
  bool in_shared = false;
  bool of_phases = false;  ///< the block's threads meet at other barriers than __syncthreads(), too
  bool of_cluster = false;       ///< in shared memory of another block of the cluster
  bool of_long_launch = false;   ///< of more threads than an int counts
  bool of_block_atomic = false;  ///< an atomic that reaches its own block only
  std::uintptr_t word = 0;
  Stamp threads[2];
  /// Written by a copy of one thread's, which arrived where that waited: by this. Or null.
  const char* waited_by = nullptr;
  bool brought = false;   ///< a copy engine wrote, and who accesses it has not waited for the copy
  bool refilled = false;  ///< a copy engine writes where others still read
  /// Written while a unit of its own still reads: what has not been waited for, and by what it is.
  /// Or null.
  const char *reads_on = nullptr, *read_until = nullptr;
  SourceLine unfenced;     ///< an atomic that the writer made behind its write, without a fence
  SourceLine early_fence;  ///< an atomic whose fence came before the write, by the same thread
  SourceLine block_fence;  ///< an atomic whose fence reaches its own block only
  SourceLine counted;      ///< of a read that came first: an atomic that may count the blocks
  SourceLine ticket;  ///< an atomic by which blocks count themselves, before a plain access to it
  std::string variable;        ///< `__device__`, that it is on; or empty
  std::string launch;          ///< the kernel, and its grid and block where they are unusual
  std::string element;         ///< what the learner calls it
  std::string before_kernel;   ///< of another launch
  std::string writers;         ///< the two threads
  std::uintptr_t stretch = 0;  ///< the barrier that the block came through last
  int earlier_line = 0;        ///< in the kernel's own text
  int later_line = 0;

  bool is_between(std::uintptr_t other_word, const Stamp& one, const Stamp& other) const;
};

/// What is to be done about a launch with more threads than an int counts.
inline constexpr const char* kCountIn64Bits =
    "this launch has 2^31 threads or more: count threads, and steps over the grid, in std::int64_t";

/// The races of a launch until it ends.
class HeldRaces {
 public:
  const std::vector<Race>& all() const { return races_; }
  bool empty() const { return races_.empty(); }

  /// Between the instructions that return to `site` and to `other`, of the access before it.
  void add(Race race, std::uintptr_t site, std::uintptr_t other);
  /// Null if none is known between them.
  Race* find(std::uintptr_t site, std::uintptr_t other);
  /// Two threads that race on a word have both written it.
  void both_write(std::uintptr_t word, const Stamp& before, const Stamp& now);
  /// What is between blocks alone is forgotten.
  void drop_between_blocks();
  std::vector<Race> take();

  /// Called at each access: whether the last race was added so long ago that the races are now
  /// reported, even if the launch never ends.
  bool are_held_too_long() {
    constexpr unsigned kMostHeld = 1U << 24;
    return !races_.empty() && ++held_for_ == kMostHeld;
  }

 private:
  std::vector<Race> races_;
  unsigned held_for_ = 0;  ///< accesses since the first of them
  /// Which of them is between two instructions.
  std::map<std::pair<std::uintptr_t, std::uintptr_t>, std::size_t> race_at_;
};

/// Each race of a launch once, with its cure: what is missing first in the order of the program
/// comes first, and a cure of several is said once.
std::vector<Finding> findings_of(std::vector<Race> races);

}  // namespace simt::inspect
