// Of a wrong result: whether one factor explains it, and what that factor means.
#include <cmath>
#include <cstdint>
#include <string>

#include "tut/compare/case_summary.hpp"
#include "tut/compare/compare.hpp"
#include "tut/compare/pattern_parts.hpp"

namespace tut {

using detail::all_wrong;

namespace {

// The factors that a case's parameters may contribute: themselves, and what is usually computed
// from them.
CaseParameters possible_factors(const std::string& text) {
  CaseParameters factors;
  for (const auto& [name, value] : parameters_of(text)) {
    factors.emplace_back(name, value);
    if (value > 0 && value < 1) factors.emplace_back("1 - " + name, 1 - value);
    if (value > 1) factors.emplace_back("the root of " + name, std::sqrt(value));
  }
  return factors;
}

// ": alpha (0.5) is missing", if a number that the case has explains the factor that was found.
std::string meaning_of_factor(double found, double error, const std::string& text) {
  const auto is = [&](double factor) {
    return std::isfinite(factor) && std::abs(factor - 1) > 0.01 &&
           std::abs(found - factor) <= error + 1e-6 * std::abs(factor);
  };
  if (is(-1)) return ": a sign is wrong";
  for (const auto& [name, factor] : possible_factors(text)) {
    const std::string value = ": " + name + " (" + number_text(factor) + ")";
    if (is(1 / factor)) return value + " is missing as a factor, or divides once too often";
    if (is(factor)) return value + " multiplies once too often, or is missing as a divisor";
    if (is(1 / (factor * factor))) return value + " is a divisor and should be a factor";
    if (is(factor * factor)) return value + " is a factor and should be a divisor";
  }
  return "";
}

/// A factor and its error, which may be so near to 1 that it is taken for rounding.
struct Factor {
  double value, error;
  bool is_near_one() const { return std::abs(value - 1) < 0.01; }
  /// Is it told from 1?
  bool is_certain() const {
    return is_near_one() ? error <= 0.1 * std::abs(value - 1) : error <= 0.05 * std::abs(value);
  }
};

// ": is a sum divided by 9 in place of columns (10)?", if a count of the case and one more or less
// explain the factor that was found.
std::string count_off_by_one(const Factor& found, const std::string& text) {
  for (const auto& [name, count] : parameters_of(text)) {
    if (count < 2 || count != std::floor(count)) continue;
    for (const double other : {count - 1, count + 1}) {
      const auto is = [&](double factor) { return std::abs(found.value - factor) <= found.error; };
      const bool divides = is(count / other), multiplies = is(other / count);
      if (!divides && !multiplies) continue;
      const std::string wrong = number_text(other), right = name + " (" + number_text(count) + ")";
      return divides ? ": is something divided by " + wrong + " in place of " + right + "?"
                     : ": is something multiplied by " + wrong + " in place of " + right +
                           ", or divided by " + right + " in place of " + wrong + "?";
    }
  }
  return "";
}

}  // namespace

// One factor for all wrong elements, measured on the one that is expected to be largest.
std::string detail::scale_pattern(const Mismatch& m, const CompareOptions& options) {
  int row = -1, col = -1;
  double largest = 0;
  for (int r = 0; r < m.rows(); ++r) {
    for (int c = 0; c < m.cols(); ++c) {
      if (m.at(r, c) != Element::wrong || std::abs(m.expected(r, c)) <= largest) continue;
      largest = std::abs(m.expected(r, c));
      row = r;
      col = c;
    }
  }
  if (row < 0 || m.wrong < 2) return "";
  const double factor = m.got(row, col) / m.expected(row, col);
  if (!std::isfinite(factor) || factor == 0) return "";
  const double factor_error = m.bound(row, col) * (1 + std::abs(factor)) / largest;
  const Factor found{factor, factor_error};
  if (!found.is_certain()) return "";  // any factor would do
  const auto fits = [&](int r, int c) {
    const double slack = m.bound(r, c) * (1 + std::abs(factor)) +
                         (factor_error + 1e-12) * std::abs(m.expected(r, c));
    return std::abs(m.got(r, c) - factor * m.expected(r, c)) <= slack;
  };
  if (!all_wrong(m, fits)) return "";
  std::string meaning = meaning_of_factor(factor, factor_error, options.shape);
  if (meaning.empty()) meaning = count_off_by_one(found, options.shape);
  // Of a few elements, or by a little, it may be chance.
  const std::int64_t least = found.is_near_one() ? 8 : 3;
  if (m.wrong < least && (meaning.empty() || !found.is_near_one())) return "";
  return "scaled: every wrong element is " + number_text(factor) + " times what is expected" +
         meaning;
}

}  // namespace tut
