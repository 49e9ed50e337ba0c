#include <doctest/doctest.h>

#include <string>

#include "tut/budget.hpp"
#include "tut/counting.hpp"
#include "tut/outcome.hpp"

namespace tut {

void expect(const Outcome& outcome, const SourceLocation& where) {
  if (outcome.ok) {
    CHECK(outcome.ok);
  } else {
    ADD_FAIL_CHECK_AT(where.file_name(), static_cast<int>(where.line()), outcome.report);
  }
}

void expect_budget(const std::string& exercise, double cost_bytes,
                   const std::function<void()>& call, const SourceLocation& where) {
  if (!can_count()) {
    MESSAGE("budget not checked: this program does not count (see cucc --count)");
    return;
  }
  const Counters counters = counted(call);
  const Outcome outcome = budget_outcome(exercise, counters, cost_bytes);
  if (outcome.ok) {
    const std::string summary = "counted: " + budget_summary(counters, cost_bytes);
    DOCTEST_ADD_MESSAGE_AT(where.file_name(), static_cast<int>(where.line()), summary);
  }
  expect(outcome, where);
}

}  // namespace tut
