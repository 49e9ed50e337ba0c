#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tut/compare/compare.hpp"
#include "tut/compare/pattern_parts.hpp"
#include "tut/compare/region.hpp"

namespace tut {
namespace {

using detail::all_wrong;
using detail::is_plural;
using detail::is_product;
using detail::region_is;
using detail::region_of;

/// The largest offset that an int holds.
constexpr std::int64_t kMostInt = std::numeric_limits<std::int32_t>::max();

/// Where the first bad element lies in memory, in elements from the first of all.
std::int64_t offset_of_first(const Mismatch& m, const CompareOptions& options) {
  return m.first_row * options.stride + m.first_col;
}

/// Is what has been written just the diagonal?
bool is_diagonal_alone_written(const Mismatch& m) {
  if (m.rows() < 3 || m.cols() < 3) return false;
  for (int r = 0; r < m.rows(); ++r) {
    for (int c = 0; c < m.cols(); ++c) {
      if ((m.at(r, c) == Element::unwritten) == (r == c)) return false;
    }
  }
  return true;
}

// What is left of a result that is written in part.
std::string unwritten_pattern(const Mismatch& m, const CompareOptions& options) {
  const bool is_vector = options.is_vector;
  if (m.wrong > 0) return "";
  if (m.unwritten == static_cast<std::int64_t>(m.rows()) * m.cols()) {
    return "nothing was written at all, or only values computed from the output's old contents: is "
           "all of the work launched, is its result stored, or do += and "
           "atomicAdd add to what was there before?";
  }
  if (is_diagonal_alone_written(m)) {
    return "only elements whose row and column have the same number are written: is one index of "
           "the thread or block, x or y, used for both?";
  }
  const std::string region = region_of(m, is_vector);
  const std::string never = is_plural(region) ? " were never written: " : " was never written: ";
  if (const std::int64_t offset = offset_of_first(m, options); offset > kMostInt) {
    return (region.empty() ? "what is missing" : region + never + "it") + " begins " +
           std::to_string(offset) +
           " elements after the first one: are offsets computed in 64 bits?";
  }
  if (region.empty()) return "";
  const bool in_every_tile = region.find(" of every ") != std::string::npos;
  return region + never +
         (in_every_tile ? "does each thread, and each loop over a tile, reach it?"
                        : "does the grid cover it, with blockIdx times the block's side in each "
                          "index, and does "
                          "each loop of the kernel reach it?");
}

/// Is each tile, of a usual side, the transpose of the one that belongs there?
std::string transposed_tiles_pattern(const Mismatch& m) {
  for (const int side : {16, 32, 8}) {
    if (std::min(m.rows(), m.cols()) < side || std::max(m.rows(), m.cols()) <= side) continue;
    const auto other = [&](int r, int c) {
      const int row = r - r % side + c % side, col = c - c % side + r % side;
      return row < m.rows() && col < m.cols() ? m.expected(row, col) : no_opinion;
    };
    if (!m.explained_by(other, 2 * side)) continue;
    const std::string text = std::to_string(side) + "x" + std::to_string(side);
    return "every tile of " + text +
           " is transposed in its place: are rows and columns exchanged where it is loaded or "
           "stored (mem_row_major, mem_col_major)?";
  }
  return "";
}

std::string transposed_pattern(const Mismatch& m) {
  if (m.rows() != m.cols() || m.rows() < 2) return "";
  const auto transposed = [&](int r, int c) { return m.expected(c, r); };
  return m.explained_by(transposed)
             ? "transposed: row r, column c holds what belongs to row c, column r"
             : "";
}

// Every bad element holds what belongs `down` rows and `right` columns further.
bool is_shifted(const Mismatch& m, int down, int right) {
  const auto shifted = [&](int r, int c) {
    const int row = r + down, col = c + right;
    if (row < 0 || row >= m.rows() || col < 0 || col >= m.cols()) return no_opinion;
    return m.expected(row, col);
  };
  return m.explained_by(shifted);
}

std::string shift_pattern(const Mismatch& m, bool is_vector) {
  const std::string col = is_vector ? "element" : "column";
  if (is_shifted(m, 1, 0)) return "off by one row: each row holds what belongs to the next row";
  if (is_shifted(m, -1, 0)) {
    return "off by one row: each row holds what belongs to the row before";
  }
  if (is_shifted(m, 0, 1)) {
    return "off by one " + col + ": each holds what belongs to the next " + col;
  }
  if (is_shifted(m, 0, -1)) {
    return "off by one " + col + ": each holds what belongs to the " + col + " before";
  }
  return "";
}

// The wrong elements hold the expected values, each once, in other places.
std::string rearranged_pattern(const Mismatch& m, bool is_of_product) {
  constexpr std::size_t least = 8, least_distinct = 4;
  std::vector<double> got, expected;
  double bound = 0;
  for (int r = 0; r < m.rows(); ++r) {
    for (int c = 0; c < m.cols(); ++c) {
      if (m.at(r, c) == Element::unwritten) return "";
      if (m.at(r, c) == Element::right) continue;
      got.push_back(m.got(r, c));
      expected.push_back(m.expected(r, c));
      bound = std::max(bound, m.bound(r, c));
    }
  }
  if (got.size() < least || std::ranges::any_of(got, [](double x) { return std::isnan(x); })) {
    return "";
  }
  std::ranges::sort(got);
  std::ranges::sort(expected);
  std::size_t distinct = 1;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::abs(got[i] - expected[i]) > bound) return "";
    distinct += i > 0 && expected[i] - expected[i - 1] > bound;
  }
  return distinct < least_distinct
             ? ""
             : "the right values in wrong places: what is computed for one element is stored in "
               "another (are rows and columns, or the order of neighbours, confused?" +
                   std::string(is_of_product ? " A program may not assume which element a "
                                               "fragment keeps in x[i])"
                                             : ")");
}

/// The error of a wrong element; only of those that are not 0 and should not be, since a maximum
/// with 0 hides the error of the others. Nothing if it is no number.
std::optional<double> error_at(const Mismatch& m, int r, int c) {
  const double got = m.got(r, c), expected = m.expected(r, c);
  if (m.at(r, c) != Element::wrong || got == 0 || expected == 0) return std::nullopt;
  return std::isfinite(got - expected) ? std::optional(got - expected) : std::nullopt;
}

/// Are the errors of each line (row or column) the same, as far as there are any, and those of at
/// least two lines with several different?
bool has_error_of_lines(const Mismatch& m, bool rows) {
  int several = 0;
  double least = 0, most = 0, bound = 0;  // of the lines' errors
  for (int line = 0; line < (rows ? m.rows() : m.cols()); ++line) {
    std::optional<double> first;
    double first_bound = 0;
    int count = 0;
    for (int i = 0; i < (rows ? m.cols() : m.rows()); ++i) {
      const int r = rows ? line : i, c = rows ? i : line;
      const std::optional<double> error = error_at(m, r, c);
      if (!error) continue;
      if (!first) {
        first = error;
        first_bound = m.bound(r, c);
      }
      if (std::abs(*error - *first) > first_bound + m.bound(r, c)) return false;
      ++count;
    }
    if (count < 2) continue;
    least = several == 0 ? *first : std::min(least, *first);
    most = several == 0 ? *first : std::max(most, *first);
    bound = std::max(bound, first_bound);
    ++several;
  }
  return several >= 2 && most - least > 4 * bound;
}

// What is missing, or too much, belongs to a whole row or column.
std::string offset_pattern(const Mismatch& m) {
  const char* const rule = " is off by a constant of its own: is what the whole ";
  for (const bool rows : {false, true}) {
    if (!has_error_of_lines(m, rows)) continue;
    const std::string line = rows ? "row" : "column";
    return "each " + line + rule + line + " adds, like a bias, missing or added more than once?";
  }
  return "";
}

// Negative numbers where none are expected.
std::string sign_pattern(const Mismatch& m) {
  constexpr std::size_t least = 16;  // of fewer, all may be above 0 by chance
  const auto expected = m.expected.span();
  const bool none_below = std::ranges::all_of(expected, [](double x) { return x >= 0; });
  if (expected.size() < least || !none_below) return "";
  std::int64_t negative = 0;
  for (int r = 0; r < m.rows(); ++r) {
    for (int c = 0; c < m.cols(); ++c) negative += m.at(r, c) == Element::wrong && m.got(r, c) < 0;
  }
  if (8 * negative <= m.wrong) return "";
  const std::string text = "some are below 0, which none may be";
  // A maximum with 0 leaves zeros; squares or exponentials do not.
  return std::ranges::find(expected, 0.0) == expected.end()
             ? text
             : text + ": is the step that prevents it, such as a maximum with 0, done last?";
}

/// Are the wrong elements small beside the others?
bool are_small_ones(const Mismatch& m) {
  double largest = 0, largest_wrong = 0;
  for (int r = 0; r < m.rows(); ++r) {
    for (int c = 0; c < m.cols(); ++c) {
      const double size = std::abs(m.expected(r, c));
      largest = std::max(largest, size);
      if (m.at(r, c) == Element::wrong) largest_wrong = std::max(largest_wrong, size);
    }
  }
  return largest_wrong < 1e-3 * largest;
}

// The wrong elements are exactly those that should be 0.
std::string should_be_zero_pattern(const Mismatch& m) {
  constexpr int least = 4;
  int wrong = 0, right = 0;
  for (int r = 0; r < m.rows(); ++r) {
    for (int c = 0; c < m.cols(); ++c) {
      if (m.is_bad(r, c) && m.expected(r, c) != 0) return "";
      ++(m.is_bad(r, c) ? wrong : right);
    }
  }
  return wrong < least || right < least
             ? ""
             : "all wrong elements are among those that should be 0: does the code that makes an "
               "element 0 reach all of them, and is the 0 stored?";
}

// The wrong elements are exactly those that should be negative.
std::string side_pattern(const Mismatch& m) {
  constexpr int least = 4;
  int wrong = 0, right = 0;
  for (int r = 0; r < m.rows(); ++r) {
    for (int c = 0; c < m.cols(); ++c) {
      const double expected = m.expected(r, c);
      if (m.is_bad(r, c) != (expected < 0) && expected != 0) return "";
      if (expected != 0) ++(m.is_bad(r, c) ? wrong : right);
    }
  }
  return wrong < least || right < least
             ? ""
             : "only elements that should be below 0 are wrong: are negative values treated as the "
               "contract says?";
}

std::string zero_pattern(const Mismatch& m, bool is_vector) {
  if (m.bad() == 1 || !all_wrong(m, [&](int r, int c) { return m.got(r, c) == 0; })) return "";
  const std::string region = region_of(m, is_vector);
  return (region.empty() ? "every wrong element is" : region_is(region)) + " 0" +
         (are_small_ones(m)
              ? ", where small values belong: are they lost when they are added to large ones?"
          : side_pattern(m).empty() ? ""
                                    : ", where values below 0 belong");
}

}  // namespace

std::string detail::region_of(const Mismatch& m, bool is_vector) {
  if (m.bad() == 1 && m.wrong == 1) return "";
  return describe_region(
      m.rows(), m.cols(), [&](int r, int c) { return m.is_bad(r, c); }, is_vector);
}

bool detail::is_plural(const std::string& region) {
  return region.starts_with("the elements ") || region.starts_with("elements ");
}

std::string detail::region_is(const std::string& region) {
  return region + (is_plural(region) ? " are" : " is");
}

bool detail::is_product(const std::string& text) { return text.find(" * ") != std::string::npos; }

std::string recognise_pattern(const Mismatch& m, const CompareOptions& options) {
  const bool is_vector = options.is_vector;
  if (options.word_bits > 0) return unwritten_pattern(m, options);
  for (const std::string& pattern : {unwritten_pattern(m, options),
                                     detail::moved_pattern(m),
                                     detail::saturated_pattern(m),
                                     detail::special_pattern(m, options),
                                     detail::nan_pattern(m, is_vector),
                                     detail::overflow_pattern(m, is_vector),
                                     zero_pattern(m, is_vector),
                                     transposed_pattern(m),
                                     transposed_tiles_pattern(m),
                                     shift_pattern(m, is_vector),
                                     rearranged_pattern(m, is_product(options.shape)),
                                     detail::running_total_pattern(m),
                                     detail::float_pattern(m),
                                     detail::scale_pattern(m, options),
                                     detail::rounding_pattern(m),
                                     detail::even_error_pattern(m),
                                     detail::precision_pattern(m, options.shape),
                                     side_pattern(m),
                                     should_be_zero_pattern(m),
                                     detail::shared_offset_pattern(m),
                                     offset_pattern(m),
                                     sign_pattern(m)}) {
    if (!pattern.empty()) return pattern;
  }
  const std::string region = region_of(m, is_vector);
  return region.empty() ? "" : region_is(region) + " wrong";
}

}  // namespace tut
