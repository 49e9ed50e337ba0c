/// \file
/// What the files that recognise patterns share.
#pragma once

#include <string>

#include "tut/compare/compare.hpp"

namespace tut::detail {

template <class Condition>
bool all_wrong(const Mismatch& m, Condition condition) {
  for (int r = 0; r < m.rows(); ++r) {
    for (int c = 0; c < m.cols(); ++c) {
      if (m.at(r, c) == Element::wrong && !condition(r, c)) return false;
    }
  }
  return m.wrong > 0;
}

/// Where the bad elements are; "" if they follow no rule, or if only one is wrong, whose place the
/// failure's first line gives.
std::string region_of(const Mismatch& m, bool is_vector);

/// Whether the name of a region is plural ("the elements from 7 on"), so that "are" follows it.
bool is_plural(const std::string& region);
/// "the last row is", "the elements from 7 on are".
std::string region_is(const std::string& region);

/// Does a case's text say that matrices are multiplied ("64x48 * 48x32")? Nothing is subtracted
/// then.
bool is_product(const std::string& text);

/// Patterns of infinities and NaN where none are expected, or missing where they are.
std::string special_pattern(const Mismatch& m, const CompareOptions& options);
std::string nan_pattern(const Mismatch& m, bool is_vector);
std::string saturated_pattern(const Mismatch& m);
std::string overflow_pattern(const Mismatch& m, bool is_vector);
/// The pattern of values that should only be moved but went through arithmetic.
std::string moved_pattern(const Mismatch& m);
/// The pattern of one factor for all wrong elements.
std::string scale_pattern(const Mismatch& m, const CompareOptions& options);
/// The pattern of an error of the same size in every wrong element.
std::string shared_offset_pattern(const Mismatch& m);
std::string even_error_pattern(const Mismatch& m);
/// Patterns of errors that are small beside the values: of any type, of a float, of rounding.
std::string precision_pattern(const Mismatch& m, const std::string& text);
std::string float_pattern(const Mismatch& m);
std::string rounding_pattern(const Mismatch& m);
/// The pattern of a sum that continues from one element to the next, over all of them or along each
/// row or column.
std::string running_total_pattern(const Mismatch& m);

}  // namespace tut::detail
