#include <algorithm>
#include <cmath>

#include "tut/compare/pattern_parts.hpp"

namespace tut {
namespace {

/// How far a difference of two of the results may be off: they are rounded, each.
double slack_between(const Mismatch& m, int r, int c, double before) {
  constexpr double kOfTotal = 1e-3;
  return 2 * m.bound(r, c) + kOfTotal * std::max(std::abs(m.got(r, c)), std::abs(before));
}

/// Is each element of `lines` lines, in the order of `index`, the one before it in its line and
/// what is expected?
template <class Index>
bool goes_on(const Mismatch& m, int lines, int length, Index index) {
  constexpr int kLeastTelling = 6;
  int telling = 0;  // where neither part is lost in the other
  for (int line = 0; line < lines; ++line) {
    for (int i = 0; i < length; ++i) {
      const auto [r, c] = index(line, i);
      double before = 0;
      if (i > 0) {
        const auto [above, left] = index(line, i - 1);
        before = m.got(above, left);
      }
      // Written so that a NaN is none.
      const double error = std::abs(m.got(r, c) - before - m.expected(r, c));
      const double slack = slack_between(m, r, c, before);
      if (!(error <= slack)) return false;
      telling += std::abs(before) > 4 * slack && std::abs(m.expected(r, c)) > 4 * slack ? 1 : 0;
    }
  }
  return telling >= kLeastTelling;
}

struct Place {
  int row, col;
};

}  // namespace

std::string detail::running_total_pattern(const Mismatch& m) {
  constexpr int kLeastWrong = 6;
  if (m.unwritten > 0 || m.wrong < kLeastWrong) return "";
  const int rows = m.rows(), cols = m.cols();
  const bool in_rows = goes_on(m, rows, cols, [](int line, int i) { return Place{line, i}; });
  const bool in_columns = goes_on(m, cols, rows, [](int line, int i) { return Place{i, line}; });
  const bool over_all = goes_on(m, 1, rows * cols, [&](int, int i) {
    return Place{i / cols, i % cols};
  });
  if (!in_rows && !in_columns && !over_all) return "";
  const std::string where = rows == 1 || over_all ? "" : in_rows ? " in its row" : " in its column";
  return "each element is what is expected plus the element before it" + where +
         ": the sum continues from one element to the next; does it start at 0 for each? A "
         "variable or an array without an initial value does not";
}

}  // namespace tut
