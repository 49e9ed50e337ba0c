#pragma once

#include <cstdint>

#include "tut/budget/budget.hpp"

/// What the tests of budgets share.
namespace tut {

/// A line whose requests each touch `sectors` where `ideal` would do.
inline LineRecord line_of_loads(int line, std::uint64_t requests, std::uint64_t sectors,
                                std::uint64_t ideal) {
  LineRecord record{"kernel", "kernel.cu", 3, "kernel.cu", line, true, {}};
  Counts& counts = of(record.counts, Traffic::global_load);
  counts.requests = requests;
  counts.lanes = 32 * requests;
  counts.sectors = sectors * requests;
  counts.ideal_sectors = counts.coalesced_sectors = ideal * requests;
  counts.worst = sectors;
  return record;
}

}  // namespace tut
