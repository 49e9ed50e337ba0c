#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tut/budget.hpp"
#include "tut/case_summary.hpp"
#include "tut/counting.hpp"
#include "tut/listener.hpp"
#include "tut/outcome.hpp"

namespace tut {
namespace {

/// The cases that the tests have expected to be right.
std::vector<CaseResult>& expected_cases() {
  static std::vector<CaseResult> cases;
  return cases;
}

constinit bool failed = false;

/// Says at the end which cases were wrong.
class CaseSummary : public Listener {
 public:
  using Listener::Listener;
  void test_run_end(const doctest::TestRunStats&) override {
    const std::string summary = summary_of_cases(expected_cases(), "cases");
    if (!summary.empty()) std::printf("  %s\n", summary.c_str());
    std::fflush(stdout);
  }
};

}  // namespace

REGISTER_LISTENER("cases", 2, CaseSummary);

bool has_failed() { return failed; }

void expect(const Outcome& outcome, const SourceLocation& where) {
  failed = failed || !outcome.ok;
  if (const std::string text = take_case(); !text.empty()) {
    expected_cases().push_back({text, parameters_of(text), outcome.ok});
  }
  if (outcome.ok) {
    CHECK(outcome.ok);
  } else {
    ADD_FAIL_CHECK_AT(where.file_name(), static_cast<int>(where.line()), outcome.report);
  }
}

void expect_budget(const std::string& exercise, double cost_bytes,
                   const std::function<Outcome()>& trial, const SourceLocation& where) {
  if (!can_count()) {
    MESSAGE("budget not checked: this program does not count (see cucc --count)");
    return;
  }
  const CountingTrial counting;
  Outcome outcome = trial();
  if (!outcome.ok) return expect(outcome, where);
  const Counters& counters = counting.counters();
  outcome = budget_outcome(exercise, counters, cost_bytes);
  if (outcome.ok) {
    const std::string summary = "counted: " + budget_summary(counters, cost_bytes);
    DOCTEST_ADD_MESSAGE_AT(where.file_name(), static_cast<int>(where.line()), summary);
  }
  expect(outcome, where);
}

}  // namespace tut
