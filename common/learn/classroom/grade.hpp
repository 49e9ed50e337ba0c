#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "learn/core/context.hpp"

namespace tut::learn {

struct GradeOptions {
  std::filesystem::path assignment;
  std::vector<std::filesystem::path> submissions;
  std::filesystem::path out;    ///< empty: only the table is shown
  std::filesystem::path times;  ///< when each student handed in; empty: nobody is late
  int jobs = 0;                 ///< 0: one for each core
  bool unsafe = false;          ///< run submissions where nothing keeps them apart
  double compile_seconds = 120;
  double run_seconds = 3600;  ///< what the course says, if that is less
  double memory_gib = 4;
};

/// Grades submissions: prints a table, and writes the marks into options.out.
/// @return exit_ok, also where marks are low
/// @throws UsageError
int grade_command(const Context& context, const GradeOptions& options);

}  // namespace tut::learn
