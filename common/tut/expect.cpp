#include <doctest/doctest.h>

#include "tut/outcome.hpp"

namespace tut {

void expect(const Outcome& outcome, const SourceLocation& where) {
  if (outcome.ok) {
    CHECK(outcome.ok);
  } else {
    ADD_FAIL_CHECK_AT(where.file_name(), static_cast<int>(where.line()), outcome.report);
  }
}

}  // namespace tut
