#include <algorithm>
#include <cmath>
#include <limits>

#include "tut/compare/case_summary.hpp"
#include "tut/compare/pattern_parts.hpp"

namespace tut {
namespace {

using detail::all_wrong;
using detail::is_product;
using detail::region_is;
using detail::region_of;

constexpr const char* kLostNan =
    "a NaN is lost: look for a product that is left out because a factor is 0 (0 times an infinity "
    "is NaN), for fmaxf or fminf, which return the other number, and for a branch that a "
    "comparison decides (with a NaN it is false)";

/// Is half of what should be finite NaN, or more? Then no single special value is behind it.
bool mostly_nan(const Mismatch& m) {
  int finite = 0, nan = 0;
  for (int r = 0; r < m.rows(); ++r) {
    for (int c = 0; c < m.cols(); ++c) {
      if (!std::isfinite(m.expected(r, c))) continue;
      ++finite;
      nan += std::isnan(m.got(r, c)) ? 1 : 0;
    }
  }
  return finite > 0 && 2 * nan >= finite;
}

bool is_special(double value) { return !std::isfinite(value); }

}  // namespace

// Infinities and NaN that did not stay where they belong. The first wrong element shows it: where
// none is expected at all, other patterns say more.
std::string detail::special_pattern(const Mismatch& m, const CompareOptions& options) {
  if (m.unwritten > 0 || std::ranges::none_of(m.expected.span(), is_special)) return "";
  const double expected = m.expected(m.first_row, m.first_col);
  const double got = m.got(m.first_row, m.first_col);
  if (std::isnan(got)) {
    if (mostly_nan(m)) return "";
    const std::string zeros =
        "0 times an infinity is NaN, so what does not belong to a result must be left out by a "
        "condition, not by a factor of 0";
    const bool only_infinities =
        all_wrong(m, [&](int r, int c) { return std::isinf(m.expected(r, c)); });
    const bool may_subtract = only_infinities && !is_product(options.shape);
    return may_subtract
               ? "an infinity has become NaN. Either it was subtracted from another one, as a "
                 "sum with corrections does; or it was multiplied by 0: " +
                     zeros
               : zeros;
  }
  if (std::isnan(expected)) {
    return kLostNan;
  }
  return "";
}

std::string detail::nan_pattern(const Mismatch& m, bool is_vector) {
  if (!all_wrong(m, [&](int r, int c) { return std::isnan(m.got(r, c)); })) return "";
  const std::string region = region_of(m, is_vector);
  const std::string which = m.bad() == 1     ? "NaN comes from"
                            : region.empty() ? "every wrong element is NaN:"
                                             : region_is(region) + " NaN:";
  return which +
         " 0 times an infinity, the difference of two infinities, or 0 / 0; a sum that starts "
         "without a value; or a read outside of the inputs, around which everything is NaN, also "
         "between two rows (does the stride lead from one row to the next?)";
}

/// Infinities where every expected value is a number: inputs that have none make none, unless
/// something on the way is larger than the type can hold.
std::string detail::overflow_pattern(const Mismatch& m, bool is_vector) {
  if (std::ranges::any_of(m.expected.span(), is_special)) return "";
  if (!all_wrong(m, [&](int r, int c) { return is_special(m.got(r, c)); })) return "";
  if (all_wrong(m, [&](int r, int c) { return std::isnan(m.got(r, c)); })) return "";
  const std::string region = region_of(m, is_vector);
  const std::string which = m.bad() == 1     ? ""
                            : region.empty() ? "every wrong element is infinite or NaN: "
                                             : region_is(region) + " infinite or NaN: ";
  constexpr double inf = std::numeric_limits<double>::infinity();
  const bool all_negative = all_wrong(m, [&](int r, int c) { return m.got(r, c) == -inf; });
  return which +
         "no infinity belongs here, so something in between overflows (a sum, a product or a power "
         "that is larger than its type can hold), or a divisor is 0" +
         (all_negative ? ", or it is the logarithm of 0, as of a sum whose terms all underflow"
                       : "");
}

// The largest number of a type where an infinity belongs.
std::string detail::saturated_pattern(const Mismatch& m) {
  constexpr struct {
    double value;
    const char* name;
  } types[] = {{65504, "half"}, {0x1.fep127, "bfloat16"}, {0x1.fffffep127, "float"}, {448, "E4M3"}};
  for (const auto& type : types) {
    const bool held = all_wrong(m, [&](int r, int c) {
      return std::isinf(m.expected(r, c)) && std::abs(m.got(r, c)) == type.value &&
             (m.got(r, c) > 0) == (m.expected(r, c) > 0);
    });
    if (!held) continue;
    return std::string("the largest number of ") + type.name + " (" + number_text(type.value) +
           ") stands where an infinity belongs: a value beyond it becomes infinite, and must not "
           "be clamped to it";
  }
  return "";
}

// A sum of two values and a difference give them back, but for what rounding and infinities take.
std::string detail::moved_pattern(const Mismatch& m) {
  if (m.unwritten > 0 || std::ranges::any_of(m.bound.span(), [](double b) { return b != 0; })) {
    return "";
  }
  double largest = 0;
  for (const double value : m.expected.span()) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  std::int64_t rounded = 0;
  const bool fits = all_wrong(m, [&](int r, int c) {
    const double got = m.got(r, c), off = std::abs(got - m.expected(r, c));
    rounded += off <= 0x1p-20 * largest;
    return std::isnan(got) || off <= 0x1p-20 * largest;
  });
  if (!fits || rounded == 0 || rounded == m.wrong) return "";
  return "values that should only be moved become NaN or less exact: do they go through a sum and "
         "a difference? With infinities that gives NaN, and small numbers lose digits beside large "
         "ones; an assignment keeps every value";
}

std::string reason_of_lost_nan(double got, double expected) {
  const bool is_lost = std::isnan(expected) && !std::isnan(got);
  return is_lost ? std::string("\n  pattern: ") + kLostNan : "";
}

}  // namespace tut
