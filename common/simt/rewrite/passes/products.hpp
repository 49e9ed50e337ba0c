/// \file
/// Loops that add products to the sums of a thread: `sums[i][j] += a[i] * b[j]`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/source.hpp"

namespace simt::rewrite {

/// Two loops around one or more such statements, recognised by their form. Types are the compiler's
/// business: what is no array of `float` of these bounds runs as it is written.
struct ProductLoops {
  Index first = kNone;  ///< `for` of the outer loop, or `#pragma unroll` before it
  Index last = kNone;   ///< one past its end
  Index outer_bound = kNone, inner_bound = kNone;  ///< one token each
  std::string_view sums;
  std::string factors;  ///< of the elements: the arguments of `product_row`
  /// Of each statement, what its elements are multiplied with: the arguments of `product_row`.
  std::vector<std::string> rows;
};

/// In device code, where the sums are an array that cannot overlap the factors and rows: these are
/// arrays that the function itself declares, the sums another one, or a parameter.
std::vector<ProductLoops> find_product_loops(const Source& source);

/// The `for` of loops around `loops` that `#pragma unroll` stands before and whose bound is a
/// constant: the elements of arrays that are indexed by them can be vectors only if they unroll.
std::vector<Index> find_unrolled_around(const Source& source, const ProductLoops& loops);

}  // namespace simt::rewrite
