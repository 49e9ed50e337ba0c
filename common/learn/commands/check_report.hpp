#pragma once

#include <string>

#include "learn/core/checker.hpp"
#include "learn/core/context.hpp"
#include "learn/core/manifest.hpp"
#include "learn/core/standing.hpp"

namespace tut::learn {

/// How much is printed of a check: nothing, what to mend first, or all that the test said.
enum class Show { nothing, first_cause, all };

/// Checks one exercise with a progress bar, records a pass, and prints what came of it.
CheckResult check_and_report(const Context& context, const Exercise& exercise,
                             Show show = Show::first_cause);

/// "passed on the CPU backend; not verified on a GPU": what a verdict means, and no more.
std::string verdict_line(const Context& context, const Exercise& exercise,
                         const CheckResult& result);

/// "Next: 05 matmul_rectangular ...", which is the next unsolved exercise after this one, or that
/// everything is solved.
std::string next_line(const Context& context, const Standing& standing, const std::string& solved);

}  // namespace tut::learn
