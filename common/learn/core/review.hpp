/// \file
/// How far the parts of the course are, and which files have changed since they passed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "learn/core/context.hpp"
#include "learn/core/standing.hpp"

namespace tut::learn {

/// How an exercise's file stands to its checks, as it is now.
Standard standard_now(const Context& context, const Standing& standing, const Exercise& exercise);

/// One word for programs: never-checked, passed, passed-before, edited or failed.
std::string_view standard_name(Standard standard);

struct PartReview {
  const Part* part = nullptr;
  int exercises = 0;
  int solved = 0;                   ///< have passed at some time
  std::vector<std::string> edited;  ///< solved, and not the file that has passed any more
  std::vector<std::string> unsure;  ///< solved, and nothing was noted of the file
  std::string since;  ///< the day since when all of it has passed as it is; else empty
};

/// The parts that have exercises, in course order.
std::vector<PartReview> review_parts(const Context& context, const Standing& standing);

/// "3 of 8 solved", "8 of 8 passed since 2027-02-12", "8 of 8 solved; edited since: gemm".
std::string review_text(const PartReview& review);

/// What to say when a part that had open exercises before has none now: that the part is done, and
/// the command that checks all of it; empty otherwise.
std::string part_done_text(const Context& context, const Standing& before, const Standing& after);

}  // namespace tut::learn
