#pragma once

#include <string>

#include "learn/bench/chart.hpp"
#include "learn/core/context.hpp"

namespace tut::learn {

/// The learner's kernels beside the course's solutions, by the bytes that they move on the shape
/// that a check counts: a chart for each exercise of the chapter that has passed. "" if there is
/// none. Builds the programs that count.
std::string exercise_charts(const Context& context, int chapter, const ChartStyle& how);

}  // namespace tut::learn
