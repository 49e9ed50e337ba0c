#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tut/budget.hpp"
#include "tut/case_summary.hpp"
#include "tut/counting.hpp"
#include "tut/outcome.hpp"

namespace tut {
namespace {

/// The cases that the running test has expected to be right.
std::vector<CaseResult>& cases_of_test() {
  static std::vector<CaseResult> cases;
  return cases;
}

/// Says at the end of a test which of its cases were wrong.
class CaseSummary : public doctest::IReporter {
 public:
  explicit CaseSummary(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override { cases_of_test().clear(); }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {
    const std::string summary = summary_of_cases(cases_of_test(), "cases");
    if (!summary.empty()) std::printf("  %s\n", summary.c_str());
    std::fflush(stdout);
  }
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};

}  // namespace

REGISTER_LISTENER("cases", 2, CaseSummary);

void expect(const Outcome& outcome, const SourceLocation& where) {
  if (const std::string text = take_case(); !text.empty()) {
    cases_of_test().push_back({text, parameters_of(text), outcome.ok});
  }
  if (outcome.ok) {
    CHECK(outcome.ok);
  } else {
    ADD_FAIL_CHECK_AT(where.file_name(), static_cast<int>(where.line()), outcome.report);
  }
}

void expect_budget_of(const std::string& exercise, double cost_bytes,
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

void expect_budget(const std::string& exercise, double cost_bytes,
                   const std::function<void()>& call, const SourceLocation& where) {
  const auto trial = [&] {
    CountingTrial::current()->add(counted(call));
    return Outcome{};
  };
  expect_budget_of(exercise, cost_bytes, trial, where);
}

}  // namespace tut
