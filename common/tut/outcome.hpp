#pragma once

#include <string>

#include "tut/source_location.hpp"

namespace tut {

/// What a check found. A failure has a kind, one word that says what failed ("values", "launch",
/// "budget"), and a report for people, whose last line is "kind: KIND".
struct Outcome {
  bool ok = true;
  std::string kind;
  std::string report;
};

/// A failure with `text` as its report, which gets the kind as its last line.
Outcome failure(std::string kind, std::string text);

/// A value as failures say it: with nine digits at most, which tell every float from its
/// neighbours; "inf", "-inf", and "NaN" whatever its sign.
std::string value_text(double value);

/// Counts the outcome as an assertion of the running doctest test; a failure prints its report.
void expect(const Outcome& outcome, const SourceLocation& where = SourceLocation::current());

/// Whether a failure has been expected in this program. Cases that take long where something is
/// wrong are left out then: they would say nothing more.
bool has_failed();

}  // namespace tut
