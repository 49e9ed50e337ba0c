#include "learn/commands/check_report.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "learn/core/progress.hpp"
#include "learn/core/status_line.hpp"

namespace tut::learn {
namespace {

CheckResult check_with_bar(const Context& context, const Exercise& exercise) {
  StatusLine status;
  const BuildProgress bar = status.build_bar(exercise.name);
  return check_exercise(context, exercise, [&](BuildStep step) {
    bar(step);
    if (step.done == step.total) status.show(fmt::format("testing {} ...", exercise.name));
  });
}

std::string advice(const Context& context, const Exercise& exercise, const CheckResult& result,
                   int hints_seen) {
  if (result.verdict == Verdict::cannot_run || result.verdict == Verdict::compile_error) return "";
  const auto hints = static_cast<int>(exercise.hints.size());
  const std::string command = fmt::format("./learn hint {}", exercise.name);
  if (hints_seen < hints) {
    return fmt::format("Stuck? {} shows hint {} of {}.\n", context.style.cyan(command),
                       hints_seen + 1, hints);
  }
  return fmt::format("Stuck? {} shows the hints again, {} the solution.\n",
                     context.style.cyan(command),
                     context.style.cyan("./learn solution " + exercise.name + " --give-up"));
}

void print_result(const Context& context, const Exercise& exercise, const CheckResult& result) {
  fmt::print("{}  {}\n", context.style.bold(label(exercise)), exercise.file.string());
  if (result.verdict != Verdict::passed && !result.report.empty()) {
    fmt::print("\n{}\n", result.report);
  }
  fmt::print("{}: {}\n", exercise.name, verdict_line(context, exercise, result));
  if (result.verdict != Verdict::passed) {
    const int hints_seen = load_progress(context.root).at(exercise.name).hints;
    fmt::print("{}", advice(context, exercise, result, hints_seen));
  }
  std::fflush(stdout);
}

}  // namespace

std::string verdict_line(const Context& context, const Exercise& exercise,
                         const CheckResult& result) {
  const Style& style = context.style;
  const bool plain_cpp = exercise.needs == "cpu";
  const std::string where = plain_cpp ? "" : " " + context.where();
  switch (result.verdict) {
    case Verdict::passed: {
      std::string text = style.green("passed") + where;
      if (!plain_cpp && context.backend != "cuda") text += "; not verified on a GPU";
      if (result.watched) text += "; no race or other bug seen";
      if (result.budget_measured) {
        text += "; within its memory budget";
      } else if (!exercise.budget.empty()) {
        text += "; its memory budget was not measured";
      }
      return text + fmt::format(" ({:.1f} s)", result.build_seconds + result.run_seconds);
    }
    case Verdict::failed:
      return style.red("failed") + where;
    case Verdict::compile_error:
      return style.red("does not compile");
    case Verdict::crashed:
      return style.red("crashed") + where;
    case Verdict::timed_out:
      return style.red("took too long") + where;
    case Verdict::cannot_run:
      return style.yellow("not run");
  }
  return "";
}

std::string next_line(const Context& context, const Standing& standing, const std::string& solved) {
  const Exercise* next = standing.next_after(solved);
  if (next == nullptr) return "That was the last open exercise: you have solved them all.\n";
  return fmt::format("Next: {}  {}\n{}", context.style.bold(label(*next)), next->title,
                     next_steps(context, standing, *next));
}

CheckResult check_and_report(const Context& context, const Exercise& exercise, bool quiet) {
  if (const std::string obstacle = gpu_obstacle(context, exercise); !quiet && !obstacle.empty()) {
    fmt::print("{} will only be built, not run: it {}.\n", exercise.name, obstacle);
    std::fflush(stdout);
  }
  CheckResult result = check_with_bar(context, exercise);
  if (!quiet) print_result(context, exercise, result);
  if (result.verdict == Verdict::passed) {
    update_progress(context.root, [&](Progress& progress) {
      const bool plain_cpp = exercise.needs == "cpu";
      progress.records[exercise.name].passed_on.insert(plain_cpp ? "cpu" : context.backend);
    });
  }
  return result;
}

}  // namespace tut::learn
