#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "learn/core/build_tree.hpp"
#include "learn/core/context.hpp"
#include "learn/core/manifest.hpp"
#include "learn/core/process.hpp"
#include "learn/core/report.hpp"
#include "tut/testing/verdict.hpp"

namespace tut::learn {

enum class Verdict {
  passed,
  failed,         ///< its test ran and found something wrong
  compile_error,  ///< no program to test
  crashed,        ///< a signal, or an end before the test was through
  timed_out,
  cannot_run,  ///< built, but this machine cannot run it
};

struct CheckResult {
  Verdict verdict = Verdict::cannot_run;
  std::string report;    ///< compiler messages, the test's report, or the reason
  TestReport said;       ///< the test's report, taken apart
  std::string warnings;  ///< of the compiler, about the learner's file, if it was compiled for this
  double build_seconds = 0;
  double run_seconds = 0;
  bool watched = false;  ///< every access was looked at: races and other bugs would have been found
  bool taken_by_nvcc = false;    ///< asked besides the CPU backend, it compiled the file
  bool budget_measured = false;  ///< its memory traffic was counted
};

/// The verdict on a finished test program. It has passed only if it ends with exit code 0 after it
/// has reported that tests ran and none failed: a program which ends early has not passed, whatever
/// it prints. One that ends at a finding of check mode has failed.
/// @param told what came through the pipe for it; nothing when the tests did not come to their end
Verdict judge(const Outcome& outcome, const std::optional<TestVerdict>& told);

/// Whether a program ended in the middle of its test, as exit does: what the test had not freed by
/// then is no leak, and nothing to tell.
bool ended_early(const std::optional<TestVerdict>& told, const TestReport& said);

constexpr const char* kEndedEarly =
    "It ended in the middle of its test: is there a call of exit, where the function should return "
    "or throw?\n";

/// Why an exercise can be built and not run, e.g. "needs a GPU; this machine has none"; empty when
/// it can run.
std::string gpu_obstacle(const Context& context, const Exercise& exercise);

/// Builds the learner's version of an exercise, runs its test, and says what came of it. Where the
/// build can, the test runs in check mode, and if it passes, its budget is counted.
/// Prints nothing and records nothing.
CheckResult check_exercise(const Context& context, const Exercise& exercise,
                           const BuildProgress& progress = nullptr);

/// How many bytes the kernels of a version of the exercise ("exercise", "solution") move on the
/// shape that its check counts. Builds it. Nothing if it does not compile, or does not pass there.
std::optional<double> count_bytes(const Context& context, const Exercise& exercise,
                                  std::string_view version,
                                  const BuildProgress& progress = nullptr);

/// One word for programs: passed, failed, compile-error, crashed, timed-out, cannot-run.
std::string verdict_name(Verdict verdict);

}  // namespace tut::learn
