#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "tut/compare/case_summary.hpp"
#include "tut/compare/pattern_parts.hpp"

namespace tut {

using detail::all_wrong;
using detail::is_product;

namespace {

/// The root of the mean square of what is expected.
double typical_size(const Mismatch& m) {
  double square_sum = 0;
  for (const double value : m.expected.span()) square_sum += value * value;
  return std::sqrt(square_sum / m.rows() / m.cols());
}

}  // namespace

// The same is added to every wrong element, or missing in it.
std::string detail::shared_offset_pattern(const Mismatch& m) {
  constexpr std::int64_t least = 8;
  const double offset = m.got(m.first_row, m.first_col) - m.expected(m.first_row, m.first_col);
  const double first_bound = m.bound(m.first_row, m.first_col);
  const bool is_told = std::abs(offset) > 20 * first_bound;  // from any other one
  if (m.wrong < least || !std::isfinite(offset) || !is_told) return "";
  const bool is_shared = all_wrong(m, [&](int r, int c) {
    const double error = m.got(r, c) - m.expected(r, c);
    return std::abs(error - offset) <= 2 * (first_bound + m.bound(r, c));
  });
  if (!is_shared) return "";
  return "every wrong element is " + number_text(std::abs(offset)) + " too " +
         (offset > 0 ? "large" : "small") +
         ": is the same term added to each, as by padding that is not 0, or left out of each?";
}

// The same is added to some elements and taken from others.
std::string detail::even_error_pattern(const Mismatch& m) {
  constexpr std::int64_t least = 16;
  int above = 0, below = 0;
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  const double typical = typical_size(m);
  const bool told = all_wrong(m, [&](int r, int c) {
    const double error = std::abs(m.got(r, c) - m.expected(r, c));
    ++(m.got(r, c) > m.expected(r, c) ? above : below);
    smallest = std::min(smallest, error - m.bound(r, c));
    largest = std::max(largest, error);
    return std::isfinite(error) && error > 20 * m.bound(r, c);
  });
  // A shorter type rounds by less than this, and by more or less.
  const bool beyond_rounding = std::isfinite(typical) && largest > 0.004 * typical;
  if (!told || m.wrong < least || !beyond_rounding || largest > 1.02 * smallest) return "";
  if (above == 0 || below == 0) return shared_offset_pattern(m);
  return "every wrong element is " + number_text(largest) +
         " too large or too small, whatever its own size: is a term of that size left out, added "
         "twice, or computed from what another step has already changed?";
}

// Errors far below the values: rounding, not logic. A few elements may be far from themselves, as
// where much cancels.
std::string detail::precision_pattern(const Mismatch& m, const std::string& text) {
  const double typical = typical_size(m);
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
         "shorter type, or truncated instead of rounded? Are small numbers added one by one to a "
         "large sum" +
         (is_product(text)
              ? std::string("?")
              : std::string(", or is the difference of two nearly equal numbers taken, "
                            "whose leading digits cancel?"));
}

/// Whole numbers beyond those that a float holds, all right but for the last digits.
std::string detail::float_pattern(const Mismatch& m) {
  constexpr double most = 0x1p24;
  double largest = 0;
  for (const double value : m.expected.span()) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  const bool all_near =
      largest > most && all_wrong(m, [&](int r, int c) {
        if (!std::isfinite(m.expected(r, c)) || !std::isfinite(m.got(r, c))) return false;
        const double expected = m.expected(r, c), error = std::abs(m.got(r, c) - expected);
        const bool is_float = static_cast<double>(static_cast<float>(m.got(r, c))) == m.got(r, c);
        return m.bound(r, c) == 0 && expected == std::floor(expected) && is_float &&
               error <= 0x1p-20 * largest;
      });
  return all_near ? "right except for the last digits of numbers above 2^24, which a float cannot "
                    "hold: is one of them stored as a float on the way?"
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
             ": are numbers between two integers rounded as the contract says, ties included?";
    }
  }
  return "";
}

}  // namespace tut
