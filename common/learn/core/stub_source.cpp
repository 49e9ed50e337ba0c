#include "learn/core/stub_source.hpp"

#include <fmt/format.h>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/process.hpp"
#include "learn/stubs/projection.hpp"

namespace tut::learn {

bool has_solution(const std::filesystem::path& root, const Exercise& exercise) {
  std::error_code error;
  return std::filesystem::exists(root / exercise.solution(), error);
}

std::optional<std::string> given_text(const std::filesystem::path& root, const Exercise& exercise) {
  const auto solution = read_file(root / exercise.solution());
  if (!solution) return read_file(root / exercise.given());
  try {
    return project_stub(*solution, exercise.solution().string());
  } catch (const StubError&) {
    return std::nullopt;  // somebody has edited the solution
  }
}

std::string stub_text(const std::filesystem::path& root, const Exercise& exercise) {
  if (const auto given = given_text(root, exercise)) return *given;
  if (find_program("git")) {
    const Outcome outcome = run_captured(
        {{"git", "-C", root.string(), "show", "HEAD:./" + exercise.file.string()}, {}, {}});
    if (outcome.ok()) return outcome.output;
  }
  throw UsageError(fmt::format("cannot restore {}: it is neither in git nor made from a solution",
                               exercise.file.string()));
}

}  // namespace tut::learn
