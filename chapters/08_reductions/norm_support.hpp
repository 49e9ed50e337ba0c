/// \file
/// What the norms demand of their arguments.
#pragma once

#include <span>
#include <string>

#include "08_reductions/layer_norm.hpp"
#include "08_reductions/load_four.cuh"
#include "tut/errors/require.hpp"

namespace tut::ch08 {

/// Throws std::invalid_argument unless the span has data and one value for each row or column.
template <class T>
void require_values(std::span<T> values, const char* name, int expected, const char* of,
                    const SourceLocation& where = SourceLocation::current()) {
  require_same_size(values.size(), name, expected, of, where);
  require(values.data() != nullptr, {name, " has no data (a null pointer)"}, where);
}

/// Throws std::invalid_argument unless both matrices have the same shape, with rows that fit.
template <class A, class B>
void require_norm_rows(const MatrixView<A>& a, const char* a_name, const MatrixView<B>& b,
                       const char* b_name,
                       const SourceLocation& where = SourceLocation::current()) {
  require_same_shape(a, a_name, b, b_name, where);
  require(a.cols <= LONGEST_NORM_ROW,
          {a_name, " is ", shape_part(a), "; expected at most ", LONGEST_NORM_ROW, " columns"},
          where);
}

}  // namespace tut::ch08
