#include "learn/core/checker.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>

using namespace tut::learn;

namespace {

const char* all_passed = "[doctest] test cases:  2 |  2 passed | 0 failed | 0 skipped";

Outcome ended(int exit_code) {
  Outcome outcome;
  outcome.exit_code = exit_code;
  return outcome;
}

}  // namespace

TEST_CASE("only a finished test whose cases all passed has passed") {
  CHECK(judge(ended(0), all_passed) == Verdict::passed);
  CHECK(judge(ended(0), "[doctest] test cases: 2 | 1 passed | 0 failed | 1 skipped") ==
        Verdict::failed);
  CHECK(judge(ended(0), "[doctest] test cases: 0 | 0 passed | 0 failed | 3 skipped") ==
        Verdict::failed);
  CHECK(judge(ended(0), "") == Verdict::crashed);
  CHECK(judge(ended(1), all_passed) == Verdict::failed);
  CHECK(judge(ended(1), "[doctest] test cases: 2 | 1 passed | 1 failed | 0 skipped") ==
        Verdict::failed);
  CHECK(judge(ended(77), "") == Verdict::cannot_run);
  CHECK(judge(ended(77), all_passed) == Verdict::cannot_run);
  CHECK(judge(ended(134), "") == Verdict::crashed);
}

TEST_CASE("a signal is a crash, and a stopped test took too long") {
  Outcome outcome;
  outcome.signal = SIGSEGV;
  CHECK(judge(outcome, "") == Verdict::crashed);
  CHECK(judge(outcome, all_passed) == Verdict::crashed);
  outcome.timed_out = true;
  CHECK(judge(outcome, all_passed) == Verdict::timed_out);
}
