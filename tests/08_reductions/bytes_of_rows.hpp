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

/// Makes a trial as expect_budget does, and looks only at the bytes that its warps ask for in all:
/// a tenth more than `cost_bytes` at most. In rows that begin off a sector's border several loads
/// of a block may share the sectors. Nothing is done where the program does not count.
inline void expect_bytes(double cost_bytes, const std::function<Outcome()>& trial,
                         const SourceLocation& where = SourceLocation::current()) {
  if (!can_count()) return;
  const CountingTrial counting;
  Outcome outcome = trial();
  if (outcome.ok) {
    const TrafficCounts total = counting.counters().total();
    std::uint64_t asked_for = 0;
    for (const Traffic traffic : {Traffic::global_load, Traffic::global_store}) {
      asked_for += of(total, traffic).bytes;
    }
    if (static_cast<double>(asked_for) > 1.1 * cost_bytes) {
      outcome =
          failure("budget", "warps ask for " + std::to_string(asked_for) +
                                " bytes of global memory in all; expected a tenth more than " +
                                std::to_string(static_cast<std::int64_t>(cost_bytes)) +
                                " at most, the contract's Cost: load each element once, however "
                                "long the rows are and wherever they begin");
    }
  }
  expect(outcome, where);
}

}  // namespace tut::ch08
