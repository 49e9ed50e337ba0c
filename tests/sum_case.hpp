#pragma once

#include <functional>
#include <string>

#include "tut/matrix/matrix_view.hpp"
#include "tut/numeric/precision.hpp"
#include "tut/testing/outcome.hpp"

/// What tests of sums of many terms share.
namespace tut {

/// Which term of a sum counts another number of times than once, if it shows where terms are 0 or
/// 1: `sum_of_first(n)` is the sum where the first n of them are 1. "" if none does.
inline std::string miscounted_term(int terms, const std::function<double(int)>& sum_of_first,
                                   const std::function<std::string(int)>& name_of) {
  if (const double none = sum_of_first(0); none != 0) {
    return "where all terms are 0 the sum is " + value_text(none) +
           ", expected 0: is something added that is no term?";
  }
  if (sum_of_first(terms) == terms) return "";
  int right = 0, wrong = terms;  // numbers of ones
  while (wrong - right > 1) {
    const int middle = right + (wrong - right) / 2;
    (sum_of_first(middle) == middle ? right : wrong) = middle;
  }
  const double times = sum_of_first(wrong) - right;
  if (times == 0 && wrong < terms && sum_of_first(terms) == right) {
    return "the terms from " + name_of(wrong - 1) + " on are not in the sum";
  }
  return name_of(wrong - 1) + " is in the sum " + value_text(times) + " times, expected once";
}

/// Of two calls with the same scratch memory, whose results are beside each other: whether only the
/// second wrote none.
inline Outcome second_call_outcome(const MatrixView<const float>& results,
                                   const std::string& text) {
  if (results.cols != 2 || is_unwritten(results(0, 0)) || !is_unwritten(results(0, 1))) return {};
  return failure(
      "values",
      "the second call with the same scratch memory wrote no result; expected the same as "
      "the first: does the first leave the counter at 0, and has each call a last block (" +
          text + ")?");
}

}  // namespace tut
