#include "learn/core/stub_source.hpp"

#include <fmt/format.h>

#include "learn/core/error.hpp"
#include "learn/core/files.hpp"
#include "learn/core/process.hpp"
#include "learn/stubs/projection.hpp"

namespace tut::learn {

std::string stub_text(const std::filesystem::path& root, const Exercise& exercise) {
  if (const auto solution = read_file(root / exercise.solution())) {
    try {
      return project_stub(*solution, exercise.solution().string());
    } catch (const StubError&) {
      // A solution that somebody has edited: the committed stub is still right.
    }
  }
  if (find_program("git")) {
    const Outcome outcome = run_captured(
        {{"git", "-C", root.string(), "show", "HEAD:./" + exercise.file.string()}, {}, {}});
    if (outcome.ok()) return outcome.output;
  }
  throw UsageError(fmt::format("cannot restore {}: it is neither in git nor made from a solution",
                               exercise.file.string()));
}

}  // namespace tut::learn
