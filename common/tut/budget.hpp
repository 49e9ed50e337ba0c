/// \file
/// What an exercise may cost, in counters of the CPU backend: see `[exercise.budget]` in
/// exercises/course.toml.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tut/counting.hpp"
#include "tut/outcome.hpp"
#include "tut/source_location.hpp"

namespace tut {

/// The largest values allowed, and the least, on one aligned shape.
struct Budget {
  double line_bytes = 1.03;   ///< bytes moved by a source line, in units of its requests' ideal
  double bank_conflicts = 0;  ///< in shared memory
  double load_bytes = 0;      ///< at least: of a thread and load of global memory, on average
  double total_bytes = 1.1;   ///< bytes moved in all, in units of the contract's Cost
};

/// The budget of an exercise, from the course's manifest. Throws std::runtime_error if the manifest
/// cannot be read, has no such exercise, or names a metric that there is not.
Budget exercise_budget(const std::string& exercise);

/// What goes beyond: a line for each, `FILE:LINE: error: budget: MESSAGE`.
std::vector<std::string> budget_violations(const Counters& counters, const Budget& budget,
                                           double cost_bytes);

/// Runs `call`, which launches the exercise's kernels on an aligned shape, and fails with kind
/// "budget" if they cost more than allowed. `cost_bytes`: what the contract's Cost comes to.
Outcome budget_outcome(const std::string& exercise, double cost_bytes,
                       const std::function<void()>& call);

/// The same as an assertion of the running doctest test. Where the program does not count, it says
/// so and passes.
void expect_budget(const std::string& exercise, double cost_bytes,
                   const std::function<void()>& call,
                   const SourceLocation& where = SourceLocation::current());

}  // namespace tut
