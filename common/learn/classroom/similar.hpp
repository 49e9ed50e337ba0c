#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "learn/classroom/similarity.hpp"
#include "learn/core/context.hpp"

namespace tut::learn {

struct SimilarOptions {
  std::filesystem::path assignment;
  std::vector<std::filesystem::path> submissions;
  std::filesystem::path out;  ///< the folder for similar.txt and similar.csv; empty: only shown
};

/// What was compared for one exercise.
struct ComparedExercise {
  std::string name;
  std::vector<std::string> students;  ///< of each file, in the order of the comparison
  std::vector<std::string> unusable;  ///< a line for each file that is there and is no text
  ClassLikeness likeness;
};

/// The list that an instructor reads: for each exercise what is usual, and what stands out, with
/// lines.
std::string similar_text(const std::string& title, const std::vector<ComparedExercise>& exercises);

/// The same for spreadsheets, with the likenesses that do not stand out: a line for each. Students
/// are named as in marks.csv; "(solution)" is the course's.
std::string similar_csv(const std::vector<ComparedExercise>& exercises);

/// Compares what students handed in with each other and with the course's solutions, and shows a
/// list, or writes it into options.out. Nothing that was handed in is compiled or run.
/// @return exit_ok, whatever is alike
/// @throws UsageError
int similar_command(const Context& context, const SimilarOptions& options);

}  // namespace tut::learn
