/// \file
/// What an exercise may cost, in counters of the CPU backend: see `[exercise.budget]` in
/// exercises/course.toml.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tut/bench/counting.hpp"
#include "tut/errors/source_location.hpp"
#include "tut/testing/outcome.hpp"

namespace tut {

/// The largest, and for some metrics the smallest, values allowed on one aligned shape.
struct Budget {
  /// Bytes moved by a source line, in units of what its requests would move coalesced: each lane at
  /// its place in the warp. Requests of some of the lanes, or for words that lanes share, may touch
  /// as much as that. Here and in total_bytes, loads of sectors that other loads of the same block
  /// bring are not counted, nor stores to sectors that other lanes' pieces of the same store touch
  /// (Counts::edge_sectors).
  double line_bytes = 1.03;
  double line_store_bytes = 0;  ///< likewise, of a line's stores; 0: as line_bytes
  /// A line whose excess is less than this share of the contract's Cost is not held to line_bytes.
  double line_share = 0.02;
  double bank_conflicts = std::numeric_limits<double>::infinity();  ///< in shared memory
  double load_bytes = 0;   ///< at least: of a thread and load of global memory, on average
  double store_bytes = 0;  ///< at least: of a thread and store to global memory, on average
  /// Bytes moved in all, in units of the contract's Cost.
  double total_bytes = 1.1;
  /// Bytes stored, in units of the distinct bytes among them: intermediate results belong in a
  /// register.
  double stores = 1.1;
  /// At least: the share of the requests that store to shared memory in which neighbouring lanes
  /// store words that are no neighbours, as where a tile is kept transposed.
  double scattered_stores = 0;
  /// At most: the share of the requests that load from shared memory in which neighbouring lanes
  /// load words that are neither neighbours nor the same.
  double scattered_loads = 1;
  double threads = 0;          ///< at least: that use memory
  double busiest_thread = 0;   ///< accesses of the thread that has most; 0: any number
  double accesses = 0;         ///< of all threads, to global and shared memory; 0: any number
  double tensor_products = 0;  ///< of a warp: at least, and a tenth more at most; 0: any number
  double async_copies = 0;     ///< at least: of a thread
  /// At least: bytes that copies of a block are yet to write while it reads shared memory.
  double bytes_ahead = 0;
  double barriers = 0;     ///< at most: that blocks come to, each counted; 0: any number
  double idle_blocks = 1;  ///< at most: that use no memory
};

/// The budget of an exercise, from the course's manifest. Throws std::runtime_error if the manifest
/// cannot be read, has no such exercise, or names a metric that there is not.
Budget exercise_budget(const std::string& exercise);

/// What exceeds the budget: a line for each violation, `FILE:LINE: error: budget: MESSAGE`.
std::vector<std::string> budget_violations(const Counters& counters, const Budget& budget,
                                           double cost_bytes);

/// "moved 256 bytes; the contract's Cost is 256", or how many times that.
std::string budget_summary(const Counters& counters, double cost_bytes);

/// Fails with kind "budget" if the counters are more than `budget` allows. `cost_bytes`: what the
/// contract's Cost comes to.
Outcome budget_outcome(const Budget& budget, const Counters& counters, double cost_bytes);

/// The limits of bytes that are too wide for a solution with these counters, since what moves twice
/// as much would keep them, a line for each. Others leave room for right answers of another shape.
std::vector<std::string> loose_limits(const Counters& counters, const Budget& budget,
                                      double cost_bytes);

/// Makes a trial of the exercise's call on an aligned shape (run_trial), and looks at its result;
/// the running doctest test fails if that is wrong, or if its kernels cost more than allowed. It
/// says what they moved. Where the program does not count, it says so and passes.
void expect_budget(const std::string& exercise, double cost_bytes,
                   const std::function<Outcome()>& trial,
                   const SourceLocation& where = SourceLocation::current());

/// Makes a trial of another shape than the budget's numbers are for, and fails if its kernels move
/// more than three times the contract's Cost. A right answer that is made of larger tiles than the
/// solution may move more there; one that gives up the method moves many times as much.
void expect_cost(double cost_bytes, const std::function<Outcome()>& trial,
                 const SourceLocation& where = SourceLocation::current());

/// Likewise, and looks only at the bytes that its warps ask for in all: `most` times the Cost.
/// Where data begin off a sector's border warps touch more sectors than they ask for.
void expect_bytes(double cost_bytes, const std::function<Outcome()>& trial, double most = 1.1,
                  const SourceLocation& where = SourceLocation::current());

/// Makes a trial and fails if a thread loads or stores fewer bytes at a time, on average, than
/// these; checks nothing else of its cost.
void expect_wide_accesses(double load_bytes, double store_bytes,
                          const std::function<Outcome()>& trial,
                          const SourceLocation& where = SourceLocation::current());

/// Likewise: fails if a byte of global memory is stored more than once.
void expect_single_stores(const std::function<Outcome()>& trial,
                          const SourceLocation& where = SourceLocation::current());

}  // namespace tut
