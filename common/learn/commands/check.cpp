#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "learn/commands/check_report.hpp"
#include "learn/commands/commands.hpp"
#include "learn/core/error.hpp"
#include "learn/core/review.hpp"

namespace tut::learn {
namespace {

/// A .cu file that belongs to no exercise.
bool is_own_file(const Standing& standing, const std::string& word) {
  return std::filesystem::path(word).extension() == ".cu" &&
         find_exercise(standing.course, word) == nullptr;
}

std::vector<const Exercise*> chosen(const Standing& standing, const CheckOptions& options) {
  std::vector<const Exercise*> exercises;
  if (options.all || !options.part.empty()) {
    const Part* part = options.part.empty() ? nullptr : &pick_part(standing.course, options.part);
    for (const Exercise& exercise : standing.course.exercises) {
      if (part == nullptr || part->has(exercise)) exercises.push_back(&exercise);
    }
    if (exercises.empty() && part != nullptr) {
      throw UsageError(fmt::format("{} has no exercises yet", part->label()));
    }
    return exercises;
  }
  for (const std::string& name : options.exercises)
    exercises.push_back(&pick_exercise(standing.course, name));
  if (exercises.empty()) exercises.push_back(&standing.pick(""));
  return exercises;
}

nlohmann::json result_json(const Context& context, const Exercise& exercise,
                           const CheckResult& result) {
  const bool passed = result.verdict == Verdict::passed;
  return {{"exercise", exercise.name},
          {"chapter", exercise.chapter},
          {"file", exercise.file.string()},
          {"verdict", verdict_name(result.verdict)},
          {"backend", context.backend},
          {"needs", exercise.needs},
          {"verified_on_gpu", passed && context.backend == "cuda" && exercise.needs != "cpu"},
          {"watched", result.watched},
          {"budget_measured", result.budget_measured},
          {"points", passed ? exercise.points : 0},
          {"points_possible", exercise.points},
          {"build_seconds", result.build_seconds},
          {"run_seconds", result.run_seconds},
          {"report", result.report}};
}

}  // namespace

int check_command(const Context& context, const CheckOptions& options) {
  const Standing standing = load_standing(context);
  if (!options.exercises.empty() && is_own_file(standing, options.exercises[0])) {
    return check_file_command(
        context, {options.exercises[0], {options.exercises.begin() + 1, options.exercises.end()}});
  }
  const std::vector<const Exercise*> exercises = chosen(standing, options);
  nlohmann::json results = nlohmann::json::array();
  int passed = 0;
  bool not_run = false;
  for (const Exercise* exercise : exercises) {
    const CheckResult result = check_and_report(context, *exercise,
                                                options.json   ? Show::nothing
                                                : options.full ? Show::all
                                                               : Show::first_cause);
    passed += result.verdict == Verdict::passed;
    not_run |= result.verdict == Verdict::cannot_run;
    if (options.json) results.push_back(result_json(context, *exercise, result));
    if (!options.json && exercises.size() > 1) fmt::print("\n");
  }
  const int total = static_cast<int>(exercises.size());
  if (options.json) {
    fmt::print("{}\n", results.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    if (total > 1) fmt::print("{} of {} passed.\n", passed, total);
    const Standing after = load_standing(context);
    fmt::print("{}", part_done_text(context, standing, after));
    if (passed == total) {
      fmt::print("{}", next_line(context, after, exercises.back()->name));
    }
  }
  if (passed == total) return exit_ok;
  return not_run && total == 1 ? exit_usage : exit_check_failed;
}

}  // namespace tut::learn
