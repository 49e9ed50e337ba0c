#include "learn/core/checker.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <optional>
#include <string>

#include "learn/core/test_run.hpp"

using namespace tut::learn;
using tut::TestVerdict;

namespace {

constexpr TestVerdict all_passed{.cases = 2};

Outcome ended(int exit_code) {
  Outcome outcome;
  outcome.exit_code = exit_code;
  return outcome;
}

}  // namespace

TEST_CASE("only a finished test whose cases all passed has passed") {
  CHECK(judge(ended(0), all_passed) == Verdict::passed);
  CHECK(judge(ended(0), TestVerdict{.cases = 2, .failed_cases = 1}) == Verdict::failed);
  CHECK(judge(ended(0), TestVerdict{.cases = 2, .findings = 1}) == Verdict::failed);
  CHECK(judge(ended(0), TestVerdict{.cases = 0}) == Verdict::failed);
  CHECK(judge(ended(0), std::nullopt) == Verdict::crashed);
  CHECK(judge(ended(1), all_passed) == Verdict::failed);
  CHECK(judge(ended(86), all_passed) == Verdict::failed);
  CHECK(judge(ended(86), std::nullopt) == Verdict::failed);
  CHECK(judge(ended(1), std::nullopt) == Verdict::crashed);
  CHECK(judge(ended(77), TestVerdict{.cases = 1, .failed_cases = 1, .skipped = true}) ==
        Verdict::cannot_run);
  CHECK(judge(ended(77), std::nullopt) == Verdict::crashed);
  CHECK(judge(ended(134), std::nullopt) == Verdict::crashed);
}

TEST_CASE("a signal is a crash, and a stopped test took too long") {
  Outcome outcome;
  outcome.signal = SIGSEGV;
  CHECK(judge(outcome, std::nullopt) == Verdict::crashed);
  CHECK(judge(outcome, all_passed) == Verdict::crashed);
  outcome.timed_out = true;
  CHECK(judge(outcome, all_passed) == Verdict::timed_out);
}

TEST_CASE("a leak at the end of a test is one, and not where the test was left in its middle") {
  TestReport said;
  said.cause = "x.cu:5: error: leak: 8 bytes of device memory are still allocated at the end\n";
  CHECK(ended_early(std::nullopt, said));
  CHECK_FALSE(ended_early(all_passed, said));
  said.cause = "x.cu:3: error: race: two threads\nx.cu:5: error: leak: 8 bytes\n";
  CHECK_FALSE(ended_early(std::nullopt, said));
  CHECK_FALSE(ended_early(std::nullopt, {}));
}

TEST_CASE("a program tells its test cases by the pipe, as they begin") {
  const auto run = [](const std::string& script) {
    return run_test_program({{"/bin/bash", "-c", script}, {}, {}}, {.seconds = 0.5});
  };
  const std::string begin =
      "fd=${TUT_VERDICT%%:*}; nonce=${TUT_VERDICT#*:}; echo \"$nonce begins one\" >&$fd; ";
  const TestRun stopped = run(begin + "echo \"$nonce begins two of them\" >&$fd; exec sleep 60");
  CHECK(stopped.outcome.timed_out);
  CHECK(stopped.last_case == "two of them");
  CHECK_FALSE(stopped.told);
  const TestRun ended = run(begin + "echo \"$nonce 1 0 0 0\" >&$fd");
  CHECK(ended.last_case == "one");
  CHECK(ended.told);
  CHECK(run("fd=${TUT_VERDICT%%:*}; echo 'guess begins one' >&$fd").last_case.empty());
}

TEST_CASE("a program tells its verdict by the pipe alone") {
  const auto run = [](const std::string& script) {
    return run_test_program({{"/bin/bash", "-c", script}, {}, {}}, {});
  };
  // What a test program does: FD:NONCE comes in the environment.
  const TestRun told =
      run("fd=${TUT_VERDICT%%:*}; echo \"${TUT_VERDICT#*:} 3 1 2 0\" >&$fd; exit 1");
  CHECK(told.last_case.empty());
  REQUIRE(told.told);
  CHECK(told.told->cases == 3);
  CHECK(told.told->failed_cases == 1);
  CHECK(told.told->findings == 2);
  CHECK(told.outcome.exit_code == 1);
  CHECK_FALSE(run("echo '[doctest] test cases: 2 | 2 passed | 0 failed | 0 skipped'").told);
  CHECK_FALSE(run("fd=${TUT_VERDICT%%:*}; echo 'guess 3 0 0 0' >&$fd").told);
  CHECK_FALSE(run("fd=${TUT_VERDICT%%:*}; l=\"${TUT_VERDICT#*:} 1 0 0 0\"; "
                  "printf '%s\\n%s\\n' \"$l\" \"$l\" >&$fd")
                  .told);
}
