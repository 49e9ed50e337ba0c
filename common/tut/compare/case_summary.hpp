/// \file
/// Which cases of a test are wrong, and what they have in common.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tut {

/// Sizes and settings of a case by name, in the order in which they are said.
using CaseParameters = std::vector<std::pair<std::string, double>>;

struct CaseResult {
  std::string text;
  CaseParameters parameters;
  bool ok = true;
  std::string test = {};  ///< that it is a case of
};

/// A number as messages say it: whole ones in full, others with six digits at most.
std::string number_text(double value);

/// The parameters that a case's text says: of "in 64x48, stride 51; side 3, n = 7" these are
/// in.rows, in.columns, stride, side and n; of "64x48 * 48x32" M, K and N.
CaseParameters parameters_of(const std::string& text);

/// Remembers the case that is being compared, until it is taken.
void note_case(const std::string& text);
/// The text of the case that was noted last; "" if none was since this was asked.
std::string take_case();

/// "right on 12 of 14 CASES; wrong whenever dilation > 1", or with a list of the wrong ones where
/// there is one, or no one parameter tells them from the others; "wrong: all 4 of this test" where
/// a value tells no more than that; "right on 1 of 14 CASES: WHICH"; "" if none is wrong, or if
/// there is one case only. `cases` is what they are called: "shapes". `shown`: the failure that is
/// told. If its case alone is wrong, that is "this one"; else "also wrong:" lists others.
std::string summary_of_cases(std::span<const CaseResult> results, const std::string& cases,
                             const std::string& shown = "");

}  // namespace tut
