/// \file
/// How budget.cpp, budget_total.cpp and budget_work.cpp tell what goes beyond a budget.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tut/budget/budget.hpp"

namespace tut::detail {

/// A violation, and by how many bytes or passes it exceeds the budget: the worst is reported first.
struct Violation {
  std::uint64_t excess;
  std::string text;
};

using Violations = std::vector<Violation>;

/// A number with so many digits behind the point.
std::string decimal(double value, int digits = 1);

inline constexpr std::array GLOBAL = {Traffic::global_load, Traffic::global_store,
                                      Traffic::global_atomic};

inline double ratio(std::uint64_t numerator, std::uint64_t denominator) {
  return static_cast<double>(numerator) / static_cast<double>(denominator);
}

/// "loads".
const char* plural(Traffic traffic);

/// At a line of the kernel's own file, or where the kernel begins: a header of the course is
/// nothing that a learner could change.
std::string error_at(const LineRecord& record, const std::string& message);

/// What would help requests that touch too many sectors.
std::string cure_of(Traffic traffic, const Counts& counts);

/// What a budget counts of all that moved.
std::uint64_t counted_bytes(const Counters& counters);

/// Whether too much moves in all. Nothing if the total would be right without what has been said of
/// lines.
Violations total_bytes_violations(const Counters& counters, const Budget& budget, double cost_bytes,
                                  bool lines_said);

/// Whether elements are stored more often than once.
Violations repeated_store_violations(const Counters& counters, const Budget& budget);

/// Whether the work is done by as many threads, and in the way, as the contract asks.
Violations work_violations(const Counters& counters, const Budget& budget);

/// Whether copies and fills beside the kernels move what is too much with theirs.
Violations copy_violations(const Counters& counters, const Budget& budget, double cost_bytes);

}  // namespace tut::detail
