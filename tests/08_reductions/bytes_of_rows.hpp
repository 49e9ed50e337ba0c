/// \file
/// Whether rows of any length are read once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tut/counting.hpp"
#include "tut/outcome.hpp"
#include "tut/source_location.hpp"

namespace tut::ch08 {

/// Makes a trial as expect_budget does, and looks only at the bytes that it moves in all: a tenth
/// more than `cost_bytes` at most, counted as in a budget. Nothing is done where the program does
/// not count.
inline void expect_bytes(double cost_bytes, const std::function<Outcome()>& trial,
                         const SourceLocation& where = SourceLocation::current()) {
  if (!can_count()) return;
  const CountingTrial counting;
  Outcome outcome = trial();
  if (outcome.ok) {
    std::uint64_t moved = 0;
    for (const Counts& counts : counting.counters().total()) moved += counts.moved_but_edges();
    if (static_cast<double>(moved) > 1.1 * cost_bytes) {
      outcome =
          failure("budget", "global memory moves " + std::to_string(moved) +
                                " bytes in all; expected a tenth more than " +
                                std::to_string(static_cast<std::int64_t>(cost_bytes)) +
                                " at most, the contract's Cost: load each element once, however "
                                "long the rows are and wherever they begin");
    }
  }
  expect(outcome, where);
}

}  // namespace tut::ch08
