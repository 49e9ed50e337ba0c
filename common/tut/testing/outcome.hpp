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

/// "1 element" for "1 elements", which the texts of cases say that are put together from a number
/// and a word.
std::string with_singulars(const std::string& text);

/// A failure with `text` as its report, which gets the kind as its last line.
Outcome failure(std::string kind, std::string text);

/// Whether a failure of this kind may be one of some cases and not of others: not if a call breaks
/// the rules of its stream, say, whatever it is called with.
bool depends_on_case(const std::string& kind);

/// A value as failures say it: with nine digits at most, which tell every float from its
/// neighbours; "inf", "-inf", and "NaN" whatever its sign, with a note if it is
/// unwritten_value<float>() or unwritten_value<double>().
std::string value_text(double value);

/// Counts the outcome as an assertion of the running doctest test; a failure prints its report. If
/// it is none, a failure that a call under test has kept until now is taken for it (keep_failure).
void expect(const Outcome& outcome, const SourceLocation& where = SourceLocation::current());

/// How many failures `expect` has told in this program.
int failures_so_far();
void count_failure();

/// Whether there is one. Cases that take long where something is wrong are left out then: they
/// would say nothing more.
inline bool has_failed() { return failures_so_far() > 0; }

}  // namespace tut
