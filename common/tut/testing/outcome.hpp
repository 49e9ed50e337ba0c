#pragma once

#include <string>

#include "tut/errors/source_location.hpp"

namespace tut {

/// What a check found. A failure has a kind, one word that says what failed ("values", "launch",
/// "budget"), and a report for people, whose last line is "kind: KIND".
struct Outcome {
  bool ok = true;
  std::string kind;
  std::string report;
};

/// "1 element" for "1 elements": texts of cases are put together from a number and a plural.
std::string with_singulars(const std::string& text);

/// A failure with `text` as its report, which gets the kind as its last line.
Outcome failure(std::string kind, std::string text);

/// Whether a failure of this kind may occur in some cases and not in others. A call that breaks the
/// rules of its stream, for example, does so whatever its arguments are.
bool depends_on_case(const std::string& kind);

/// A value as failures say it: with nine digits at most, which tell every float from its
/// neighbours; "inf", "-inf", and "NaN" whatever its sign, with a note if it is
/// unwritten_value<float>() or unwritten_value<double>().
std::string value_text(double value);

/// Counts the outcome as an assertion of the running doctest test; a failure prints its report. If
/// it is a success, a failure that a call under test has kept (keep_failure) is counted instead.
void expect(const Outcome& outcome, const SourceLocation& where = SourceLocation::current());

/// How many failures `expect` has reported in this program.
int failures_so_far();
void count_failure();

/// Whether TUT_TRY_LIMITS is in the environment: then what a test allows is on trial, too. The
/// program fails where a result of the next lower precision would pass
/// (tut/compare/lower_precision.hpp), and where what costs twice as much would keep the budget
/// (loose_limits). The maintainers' tests of each solution run so.
bool tries_limits();

/// Whether there was a failure. Cases that take long are then left out, as they would add nothing.
inline bool has_failed() { return failures_so_far() > 0; }

}  // namespace tut
