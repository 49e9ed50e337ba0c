#include <algorithm>
#include <cmath>
#include <string>

#include "tut/pattern_parts.hpp"

namespace tut {

using detail::all_wrong;
using detail::is_product;

// Errors far below the values: rounding, not logic. A few elements may be far from themselves, as
// where much cancels.
std::string detail::precision_pattern(const Mismatch& m, const std::string& text) {
  double square_sum = 0;
  for (int r = 0; r < m.rows(); ++r) {
    for (int c = 0; c < m.cols(); ++c) square_sum += m.expected(r, c) * m.expected(r, c);
  }
  const double typical = std::sqrt(square_sum / m.rows() / m.cols());
  const auto is_close = [&](int r, int c) {
    return std::isfinite(typical) && m.bound(r, c) > 0 &&
           std::abs(m.got(r, c) - m.expected(r, c)) <= 0.02 * typical;
  };
  std::int64_t near_itself = 0;
  const bool all_close = all_wrong(m, [&](int r, int c) {
    const double size = std::abs(m.expected(r, c));
    near_itself += std::abs(m.got(r, c) - m.expected(r, c)) <= 0.25 * size;
    return is_close(r, c);
  });
  if (!all_close || 10 * near_itself < 9 * m.wrong) return "";
  return "close, but less precise than the bound allows: are inputs, products or sums rounded to a "
         "shorter type, or cut off instead of rounded? Are small numbers added one by one to a "
         "large sum" +
         (is_product(text) ? std::string("?")
                           : std::string(", or is a small difference taken of two large numbers, "
                                         "whose digits cancel?"));
}

/// Whole numbers beyond those that a float holds, all right but for the last digits.
std::string detail::float_pattern(const Mismatch& m) {
  constexpr double most = 0x1p24;
  double largest = 0;
  for (const double value : m.expected.span()) largest = std::max(largest, std::abs(value));
  const bool all_near =
      largest > most && all_wrong(m, [&](int r, int c) {
        const double expected = m.expected(r, c), error = std::abs(m.got(r, c) - expected);
        const bool is_float = static_cast<double>(static_cast<float>(m.got(r, c))) == m.got(r, c);
        return m.bound(r, c) == 0 && expected == std::floor(expected) && is_float &&
               error <= 0x1p-20 * largest;
      });
  return all_near ? "right but for the last digits of numbers above 2^24, which a float does not "
                    "hold: is one a float on the way?"
                  : "";
}

/// Whole numbers that are all off by one in the same way.
std::string detail::rounding_pattern(const Mismatch& m) {
  if (m.wrong < 3 || m.unwritten > 0) return "";
  const auto is_whole = [](double x) { return x == std::floor(x); };
  if (!std::ranges::all_of(m.expected.span(), is_whole)) return "";
  for (const double off : {-1.0, 1.0}) {
    if (all_wrong(m, [&](int r, int c) { return m.got(r, c) == m.expected(r, c) + off; })) {
      return std::string("every wrong element is one too ") + (off < 0 ? "small" : "large") +
             ": are numbers between two whole ones rounded as the contract says, ties too?";
    }
  }
  return "";
}

}  // namespace tut
