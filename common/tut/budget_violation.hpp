/// \file
/// How budget.cpp and budget_work.cpp tell what goes beyond a budget.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tut/budget.hpp"

namespace tut::detail {

/// What goes beyond, and by how many bytes or passes: the worst is told first.
struct Violation {
  std::uint64_t excess;
  std::string text;
};

using Violations = std::vector<Violation>;

/// A number with so many digits behind the point.
std::string decimal(double value, int digits = 1);

/// Whether the work is done by those, and in the way, that the contract is about.
Violations work_violations(const Counters& counters, const Budget& budget);

/// Whether copies and fills beside the kernels move what is too much with theirs.
Violations copy_violations(const Counters& counters, const Budget& budget, double cost_bytes);

}  // namespace tut::detail
