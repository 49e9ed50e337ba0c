#pragma once

#include <optional>
#include <string>

#include "learn/core/process.hpp"
#include "tut/testing/verdict.hpp"

namespace tut::learn {

/// How a test program ended, and what it said of its tests.
struct TestRun {
  Outcome outcome;
  std::optional<TestVerdict> told;  ///< nothing if they did not come to their end
  std::string last_case;            ///< the test case that began last; "" if none is known
};

/// Runs a test program with a pipe for its verdict (tut/testing/verdict.hpp).
/// @throws UsageError when it cannot be started.
TestRun run_test_program(Command command, const CaptureLimits& limits);

}  // namespace tut::learn
