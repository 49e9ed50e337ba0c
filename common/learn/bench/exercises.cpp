#include "learn/bench/exercises.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "learn/core/checker.hpp"
#include "learn/core/manifest.hpp"
#include "learn/core/progress.hpp"
#include "learn/core/status_line.hpp"
#include "learn/core/stub_source.hpp"

namespace tut::learn {
namespace {

ByteRow row_of(const Context& context, const Exercise& exercise, const std::string& version,
               const std::string& label) {
  StatusLine status;
  const std::optional<double> bytes =
      count_bytes(context, exercise, version, status.build_bar(exercise.name));
  const std::string error =
      bytes ? "" : fmt::format("does not pass: ./learn check {}", exercise.name);
  return {label, bytes.value_or(0), version == "solution", error};
}

}  // namespace

std::string exercise_charts(const Context& context, int chapter, const ChartStyle& how) {
  const Progress progress = load_progress(context.root);
  std::string text;
  for (const Exercise& exercise : load_course(context.root).exercises) {
    const bool counted = context.tree().has_target(exercise.target() + "_counted");
    if (exercise.chapter != chapter || !counted || !progress.at(exercise.name).passed()) continue;
    std::vector<ByteRow> rows = {row_of(context, exercise, "exercise", "your kernels")};
    if (has_solution(context.root, exercise)) {
      rows.push_back(row_of(context, exercise, "solution", "the course's"));
    }
    text +=
        fmt::format("\n{}: bytes moved\n{}", how.style.bold(exercise.name), byte_chart(rows, how));
  }
  return text;
}

}  // namespace tut::learn
