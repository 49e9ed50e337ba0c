#include "learn/core/checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

#include "learn/core/gpu.hpp"
#include "learn/core/own_file.hpp"
#include "learn/core/submission.hpp"
#include "learn/core/test_run.hpp"
#include "learn/core/text.hpp"
#include "simt/inspect/check/status.hpp"

namespace tut::learn {
namespace {

std::string how_it_ended(const Outcome& outcome) {
  if (outcome.signal != 0) {
    return fmt::format("It crashed: {} (signal {}).\n", strsignal(outcome.signal), outcome.signal);
  }
  return fmt::format("It ended with exit code {} before its test had finished.\n",
                     outcome.exit_code);
}

std::string how_it_was_stopped(const Exercise& exercise, const std::string& test_case) {
  return fmt::format(
      "Stopped after {} s of work or of waiting{}: is there a loop that never ends, or are there "
      "many more blocks, threads or steps than the work needs?\n",
      exercise.timeout_seconds, test_case.empty() ? "" : fmt::format(", in \"{}\"", test_case));
}

/// The programs that check an exercise: the learner's version, watched where this build can.
struct Programs {
  std::string test;
  std::string budget;  ///< counts; empty: there is none
  bool watched = false;

  std::vector<std::string> targets() const {
    return budget.empty() ? std::vector{test} : std::vector{test, budget};
  }
};

Programs programs_of(const BuildTree& tree, const Exercise& exercise) {
  Programs programs;
  const std::string checked = exercise.target() + "_checked";
  const std::string counted = exercise.target() + "_counted";
  programs.watched = tree.has_target(checked);
  programs.test = programs.watched ? checked : exercise.target();
  if (tree.has_target(counted)) programs.budget = counted;
  return programs;
}

CheckResult run_test(const Context& context, const Exercise& exercise, const std::string& target,
                     const char* argument) {
  // A finding of check mode is reported first, so the rest of a test need not be waited for.
  const Command command{{context.tree().program(target).string(), "--no-colors=true", argument},
                        context.root,
                        {{"TUT_STOP_AT_FINDING", "1"}}};
  const TestRun run =
      run_test_program(command, {.seconds = static_cast<double>(exercise.timeout_seconds)});
  const Outcome& outcome = run.outcome;
  CheckResult result;
  result.run_seconds = outcome.seconds;
  result.verdict = judge(outcome, run.told);
  result.said = read_report(outcome.output, context.root);
  std::string end;
  if (result.verdict == Verdict::crashed) end = how_it_ended(outcome);
  if (ended_early(run.told, result.said)) {
    result.verdict = Verdict::crashed;
    result.said = {};
    end = kEndedEarly;
  }
  if (result.verdict == Verdict::timed_out && !result.said.verdict.empty()) {
    // Its findings so far are to be fixed first, and may be why it takes so long.
    result.verdict = Verdict::failed;
    end = fmt::format("Its test was stopped after {} s, before it had finished.\n",
                      exercise.timeout_seconds);
  } else if (result.verdict == Verdict::timed_out) {
    end = how_it_was_stopped(exercise, run.last_case);
  }
  result.said.cause += end;
  result.report = result.said.text + end;
  return result;
}

/// nvcc's errors in a learner's file that the CPU backend compiles. nvcc runs while the file is
/// built; without a toolkit it does not run at all.
class NvccsOpinion {
 public:
  NvccsOpinion(const Context& context, const Exercise& exercise) : file_(exercise.file.string()) {
    const std::filesystem::path nvcc = find_nvcc();
    if (context.backend != "cpu" || nvcc.empty() || exercise.file.extension() != ".cu") return;
    Command command{nvcc_command(context, nvcc), {}, {}};
    if (!exercise.course.empty()) {
      command.argv.push_back("-I" + (exercise.course / "chapters").string());
    }
    for (const std::string& word : {std::string("-ptx"), (context.root / exercise.file).string(),
                                    std::string("-o"), std::string("/dev/null")}) {
      command.argv.push_back(word);
    }
    running_.emplace(command);
  }

  /// Its errors; "" if it has none in this file. A toolkit that does not work is reported by
  /// `./learn doctor`.
  std::string complaint() {
    if (!running_) return "";
    const Outcome outcome = running_->finish({.seconds = 60});
    const std::vector<std::string> lines = split_lines(outcome.output);
    const bool refused = std::ranges::any_of(lines, [&](const std::string& line) {
      return line.find(file_) != std::string::npos && line.find("error") != std::string::npos;
    });
    has_agreed_ = outcome.ok();
    if (has_agreed_ || outcome.timed_out || !refused) return "";
    return "The CPU backend compiles this file, but nvcc, CUDA's compiler, does not:\n" +
           outcome.output;
  }

  /// Whether it was asked, and has none.
  bool has_agreed() const { return has_agreed_; }

 private:
  std::string file_;
  bool has_agreed_ = false;
  std::optional<RunningProgram> running_;
};

}  // namespace

std::string gpu_obstacle(const Context& context, const Exercise& exercise) {
  if (context.backend != "cuda" || exercise.needs == "cpu") return "";
  if (!gpu_device_visible()) return "needs a GPU; this machine has none";
  if (exercise.needs == "any") return "";
  return native_obstacle(exercise.needs, query_gpus()).value_or("");
}

Verdict judge(const Outcome& outcome, const std::optional<TestVerdict>& told) {
  if (outcome.timed_out) return Verdict::timed_out;
  const bool stopped_at_finding = !told && outcome.exit_code == simt::inspect::kFindingsStatus;
  if (stopped_at_finding) return Verdict::failed;
  if (outcome.signal != 0 || !told) return Verdict::crashed;
  if (told->skipped) return Verdict::cannot_run;
  const bool passed =
      outcome.exit_code == 0 && told->cases > 0 && told->failed_cases == 0 && told->findings == 0;
  return passed ? Verdict::passed : Verdict::failed;
}

bool ended_early(const std::optional<TestVerdict>& told, const TestReport& said) {
  const std::string first_line = said.cause.substr(0, said.cause.find('\n'));
  return !told && first_line.find(": error: leak: ") != std::string::npos;
}

CheckResult check_exercise(const Context& context, const Exercise& exercise,
                           const BuildProgress& progress) {
  CheckResult result;
  if (!std::filesystem::exists(context.root / exercise.file)) {
    result.report = exercise.missing_text() + ".\n";
    return result;
  }
  // Which programs check it is seen in the build: it must know the exercise.
  context.tree().expect_target(exercise.target());
  const Programs programs = programs_of(context.tree(), exercise);
  NvccsOpinion nvccs(context, exercise);
  const BuildResult build = context.tree().build(programs.targets(), progress);
  result.build_seconds = build.seconds;
  if (!build.ok) {
    result.verdict = build.unknown_target ? Verdict::cannot_run : Verdict::compile_error;
    result.report = build.unknown_target
                        ? fmt::format("The build has no target {}.\n", exercise.target())
                        : build.messages;
    return result;
  }
  if (std::string complaint = nvccs.complaint(); !complaint.empty()) {
    result.verdict = Verdict::compile_error;
    result.report = std::move(complaint);
    return result;
  }
  if (const std::string obstacle = gpu_obstacle(context, exercise); !obstacle.empty()) {
    result.report = fmt::format(
        "Built, not run: it {}. './learn --backend cpu check {}' runs it on the CPU backend.\n",
        obstacle, exercise.name);
    return result;
  }
  if (std::string foreign = foreign_parts(context.tree(), context.root, exercise, programs.test);
      !foreign.empty()) {
    result.verdict = Verdict::failed;
    result.said.verdict = "it uses or replaces code that is not the exercise's own";
    result.said.cause = foreign;
    result.report = std::move(foreign);
    return result;
  }
  CheckResult tested = run_test(context, exercise, programs.test, "--test-case-exclude=budget");
  if (tested.verdict == Verdict::passed && !programs.budget.empty()) {
    const double seconds = tested.run_seconds;
    tested = run_test(context, exercise, programs.budget, "--test-case=budget");
    tested.run_seconds += seconds;
    tested.budget_measured = true;
  }
  tested.build_seconds = result.build_seconds;
  tested.warnings = warnings_about(exercise.file.string(), build.messages);
  tested.watched = programs.watched;
  tested.taken_by_nvcc = nvccs.has_agreed();
  if (tested.verdict == Verdict::passed && exercise.watched && !programs.watched) {
    tested.verdict = Verdict::cannot_run;
    tested.report = fmt::format(
        "Its answers are right, but the exercise's bug shows only in check mode, which this build "
        "does not have. './learn --backend cpu check {}', built with g++, looks for it.\n",
        exercise.name);
  }
  return tested;
}

std::optional<double> count_bytes(const Context& context, const Exercise& exercise,
                                  std::string_view version, const BuildProgress& progress) {
  const std::string program = exercise.target(version) + "_counted";
  if (!context.tree().build({program}, progress).ok) return std::nullopt;
  const CheckResult result = run_test(context, exercise, program, "--test-case=budget");
  constexpr std::string_view words = "moved ";
  const std::string& counted = result.said.counted;
  if (result.verdict != Verdict::passed || !counted.starts_with(words)) return std::nullopt;
  return std::strtod(counted.c_str() + words.size(), nullptr);
}

std::string verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return "passed";
    case Verdict::failed:
      return "failed";
    case Verdict::compile_error:
      return "compile-error";
    case Verdict::crashed:
      return "crashed";
    case Verdict::timed_out:
      return "timed-out";
    case Verdict::cannot_run:
      return "cannot-run";
  }
  return "unknown";
}

}  // namespace tut::learn
