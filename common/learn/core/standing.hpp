#pragma once

#include <optional>
#include <string>

#include "learn/core/assignment.hpp"
#include "learn/core/context.hpp"
#include "learn/core/manifest.hpp"
#include "learn/core/progress.hpp"

namespace tut::learn {

/// The course together with how far the learner has come.
struct Standing {
  Course course;
  Progress progress;
  /// What assignment.toml in the course's folder asks for; none where there is no such file.
  std::optional<Assignment> assignment = {};
  /// The exercise whose file was edited last, solved or not; empty while all are as they came.
  std::string worked_on;

  int solved() const;

  /// The exercise that is worked on, or the next one after it if it is solved; null when all are
  /// solved. An exercise is solved once its check has passed on any backend.
  const Exercise* next() const;

  /// The unsolved exercise that comes next: of the assigned ones the first after this one, else the
  /// first; then the first after this one in its chapter, else the first of that chapter, else the
  /// first of the chapters behind it, else the first of the course; null when all are solved.
  const Exercise* next_after(const std::string& name) const;

  /// How many of the assigned exercises are solved.
  int solved_assigned() const;

  /// The named exercise; an empty name means the one you edited last, or the next unsolved.
  /// @throws UsageError when there is no such exercise, or all are solved and none is named.
  const Exercise& pick(const std::string& name) const;
};

/// Loads both, and says on standard error which lines of the progress file were skipped.
Standing load_standing(const Context& context);

/// "05 matmul_padded".
std::string label(const Exercise& exercise);

/// The folder of the chapter that an exercise belongs to, e.g. 05_shared_memory_tiling.
std::string chapter_folder(const Exercise& exercise);

/// The lines that say what to read, edit and run for an exercise. The commands name it unless it is
/// the one that they mean without a name.
std::string next_steps(const Context& context, const Standing& standing, const Exercise& exercise);

}  // namespace tut::learn
