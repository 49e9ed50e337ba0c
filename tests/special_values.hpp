#pragma once

#include <cmath>
#include <string>

#include "tut/compare.hpp"
#include "tut/precision.hpp"

namespace tut::test {

/// compare for results that may be infinite or NaN: an infinity must be the expected one, and a NaN
/// one that was computed. Says what the first wrong element is.
template <class T>
Outcome compare_with_specials(const MatrixView<T>& got, const HostMatrix<double>& expected,
                              const HostMatrix<double>& bound, const std::string& name,
                              const std::string& text) {
  for (int r = 0; r < got.rows; ++r) {
    for (int c = 0; c < got.cols; ++c) {
      const double value = to_double(got(r, c)), right = expected(r, c);
      const bool written = !is_unwritten(got(r, c));
      if (written && (std::isnan(right)
                          ? std::isnan(value)
                          : value == right ||
                                (std::isfinite(right) && std::abs(value - right) <= bound(r, c))))
        continue;
      return failure("values", name + "(" + std::to_string(r) + ", " + std::to_string(c) + ") " +
                                   (written ? "is " + std::to_string(value) : "was never written") +
                                   "; expected " + std::to_string(right) + " (" + text + ")");
    }
  }
  return {};
}

}  // namespace tut::test
