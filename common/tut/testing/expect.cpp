#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tut/bench/counting.hpp"
#include "tut/budget/budget.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/testing/listener.hpp"
#include "tut/testing/outcome.hpp"
#include "tut/trial/call_failure.hpp"

namespace tut {
namespace {

/// The cases that the tests have expected to be right.
std::vector<CaseResult>& expected_cases() {
  static std::vector<CaseResult> cases;
  return cases;
}

/// Says at the end which cases were wrong.
class CaseSummary : public Listener {
 public:
  using Listener::Listener;
  void test_case_start(const doctest::TestCaseData& test) override { running_test = test.m_name; }
  void test_run_end(const doctest::TestRunStats&) override {
    const std::size_t kind = first_failure.rfind(kKindMark);
    const bool depends =
        kind == std::string::npos || depends_on_case(first_failure.substr(kind + kKindMark.size()));
    const std::string summary =
        depends ? summary_of_cases(expected_cases(), "cases", first_failure) : "";
    if (!summary.empty()) std::printf("  %s\n", summary.c_str());
    std::fflush(stdout);
  }
  void test_case_exception(const doctest::TestCaseException& exception) override {
    note_failure(exception.error_string.c_str());
  }
  void log_assert(const doctest::AssertData& data) override {
    if (data.m_failed) note_failure(data.m_expr);
  }
  void log_message(const doctest::MessageData& message) override {
    if (message.m_severity != doctest::assertType::is_warn) note_failure(message.m_string.c_str());
  }

  /// The name of the test that runs.
  static inline std::string running_test;

 private:
  static constexpr std::string_view kKindMark = "\nkind: ";

  /// Of a test's failures of values the first is told that says more than one value.
  static void note_failure(const std::string& text) {
    constexpr std::string_view kOfValues = "\nkind: values";
    const auto is_short = [&](const std::string& failure) {
      return failure.ends_with(kOfValues) &&
             failure.find('\n') == failure.size() - kOfValues.size();
    };
    const bool says_more = is_short(first_failure) && first_test == running_test &&
                           text.ends_with(kOfValues) && !is_short(text);
    if (std::exchange(has_failure, true) && !says_more) return;
    first_failure = text;
    first_test = running_test;
  }
  static inline bool has_failure = false;
  static inline std::string first_failure, first_test;
};

}  // namespace

REGISTER_LISTENER("cases", 2, CaseSummary);

void expect(const Outcome& own, const SourceLocation& where) {
  const Outcome kept = take_kept_failure();
  const Outcome& outcome = own.ok ? kept : own;
  if (!outcome.ok) count_failure();
  if (const std::string text = take_case(); !text.empty()) {
    expected_cases().push_back({text, parameters_of(text), outcome.ok, CaseSummary::running_test});
  }
  if (outcome.ok) {
    CHECK(outcome.ok);
  } else {
    ADD_FAIL_CHECK_AT(where.file_name(), static_cast<int>(where.line()), outcome.report);
  }
}

namespace {

/// Makes a counted trial, if nothing has failed yet, and lets its counters be judged.
void expect_counted(const std::function<Outcome()>& trial,
                    const std::function<Outcome(const Counters&)>& judge,
                    const SourceLocation& where) {
  if (!can_count() || has_failed()) return;
  const CountingTrial counting;
  Outcome outcome = trial();
  if (outcome.ok) outcome = judge(counting.counters());
  expect(outcome, where);
}

void expect_within(const Budget& budget, double cost_bytes, const std::function<Outcome()>& trial,
                   const SourceLocation& where) {
  const auto judge = [&](const Counters& counters) {
    return budget_outcome(budget, counters, cost_bytes);
  };
  expect_counted(trial, judge, where);
}

/// Whether what costs twice as much would break the budget.
Outcome narrow_limits(const std::string& exercise, const Counters& counters, double cost_bytes) {
  std::string text;
  for (const std::string& limit : loose_limits(counters, exercise_budget(exercise), cost_bytes)) {
    text += "the budget of " + exercise + ": " + limit + "\n";
  }
  return text.empty() ? Outcome{} : failure("budget", text);
}

/// A budget of nothing.
Budget unlimited() {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  return {.line_bytes = kAny, .total_bytes = kAny, .stores = kAny, .idle_blocks = kAny};
}

}  // namespace

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
  outcome = budget_outcome(exercise_budget(exercise), counters, cost_bytes);
  if (outcome.ok) {
    const std::string summary = "counted: " + budget_summary(counters, cost_bytes);
    DOCTEST_ADD_MESSAGE_AT(where.file_name(), static_cast<int>(where.line()), summary);
    if (tries_limits()) outcome = narrow_limits(exercise, counters, cost_bytes);
  }
  expect(outcome, where);
}

void expect_cost(double cost_bytes, const std::function<Outcome()>& trial,
                 const SourceLocation& where) {
  Budget of_all = unlimited();
  of_all.total_bytes = 3;
  expect_within(of_all, cost_bytes, trial, where);
}

void expect_bytes(double cost_bytes, const std::function<Outcome()>& trial, double most,
                  const SourceLocation& where) {
  const auto judge = [&](const Counters& counters) -> Outcome {
    const TrafficCounts total = counters.total();
    const std::uint64_t asked_for =
        of(total, Traffic::global_load).bytes + of(total, Traffic::global_store).bytes;
    if (static_cast<double>(asked_for) <= most * cost_bytes) return {};
    return failure("budget",
                   "warps ask for " + std::to_string(asked_for) +
                       " bytes of global memory in all; expected " +
                       std::to_string(static_cast<std::int64_t>(most * cost_bytes)) +
                       " at most, where the contract's Cost is " +
                       std::to_string(static_cast<std::int64_t>(cost_bytes)) +
                       ": load each element once, however many there are and wherever they begin");
  };
  expect_counted(trial, judge, where);
}

void expect_wide_accesses(double load_bytes, double store_bytes,
                          const std::function<Outcome()>& trial, const SourceLocation& where) {
  Budget wide = unlimited();
  wide.load_bytes = load_bytes;
  wide.store_bytes = store_bytes;
  expect_within(wide, 1, trial, where);
}

void expect_single_stores(const std::function<Outcome()>& trial, const SourceLocation& where) {
  Budget single = unlimited();
  single.stores = 1;
  expect_within(single, 1, trial, where);
}

}  // namespace tut
