/// \file
/// What an instructor assigns: exercises with points, a date, and what work handed in late is
/// worth. `parse_assignment` documents the file.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learn/core/manifest.hpp"

namespace tut::learn {

/// How the points of an exercise are shared, in percent; they add up to 100.
struct Share {
  int values = 60;  ///< right results
  int safety = 20;  ///< no race or other bug seen in check mode
  int budget = 20;  ///< within its memory budget
};

/// The share of an exercise that lacks one of the parts: its percents go to `values`.
Share share_of(Share share, bool has_safety, bool has_budget);

struct AssignedExercise {
  std::string name;
  double points = 0;
  Share share;
};

struct LatePolicy {
  int grace_minutes = 0;       ///< the deadline is so much later than it says
  double percent_per_day = 0;  ///< taken off for each day begun after the deadline
  int days = 0;                ///< after so many days it counts 0
  bool set = false;            ///< without a policy late work counts in full
};

struct Assignment {
  std::string title, secret;
  std::optional<std::chrono::sys_seconds> due;
  LatePolicy late;
  std::vector<AssignedExercise> exercises;  ///< in the order of the file, each once, at least one
};

/// Reads the text of an assignment file:
///
///     title = "Homework 1: tiles"
///     due = 2027-02-12T23:59:00+01:00   # optional; with its offset from UTC
///     secret = "any words"              # optional; only in the instructor's copy
///     [late]                            # optional; wants `due`
///     grace_minutes = 15                # optional; 0
///     percent_per_day = 10
///     days = 3
///     [[exercise]]                      # one at least
///     name = "matmul_padded"            # of the course
///     points = 4                        # optional; the course's
///     values = 60                       # optional, like the next two; they add up to 100
///     safety = 20
///     budget = 20
///
/// @param source named in errors
/// @throws UsageError `FILE:LINE: what is wrong, what was expected`
Assignment parse_assignment(std::string_view toml, const std::string& source, const Course& course);

/// Reads an assignment file.
/// @throws UsageError as parse_assignment, and where the file cannot be read
Assignment load_assignment(const std::filesystem::path& file, const Course& course);

/// The share of its points that work handed in at a time keeps: 1 until `due` and the minutes of
/// grace are over, then less by percent_per_day for each day begun, 0 after the last day. 1 where
/// nothing is said of late work.
double late_factor(const Assignment& assignment, std::chrono::sys_seconds handed_in);

/// The chapters, as 05, of what a copy of the course comes with as an assignment: it has no
/// solutions of these exercises. None in the course itself.
std::vector<std::string> assigned_chapters(const std::filesystem::path& root);

}  // namespace tut::learn
