#pragma once

#include <doctest/doctest.h>

#include <string>

#include "tut/testing/outcome.hpp"

namespace tut {

/// Is `part` in the outcome's report? A failed check shows the report.
inline bool mentions(const Outcome& outcome, const std::string& part) {
  INFO(outcome.report);
  return outcome.report.find(part) != std::string::npos;
}

}  // namespace tut
