#include "tut/compare.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "tut/case_summary.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut {
namespace {

constexpr int grid_rows = 16, grid_cols = 32;

std::string number(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  char text[64];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  return text;
}

std::string counted(std::int64_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

// Enough digits to tell expected from got.
std::string expected_and_got(double expected, double got) {
  int digits = 7;
  while (digits < 17 && number(expected, digits) == number(got, digits)) ++digits;
  return "expected " + number(expected, digits) + ", got " + number(got, digits);
}

std::string place(int r, int c, bool is_vector) {
  if (is_vector) return "element " + std::to_string(c);
  return "row " + std::to_string(r) + ", column " + std::to_string(c);
}

std::string first_line(const Mismatch& m, const CompareOptions& options) {
  const std::int64_t total = static_cast<std::int64_t>(m.rows()) * m.cols();
  std::string line = options.name;
  if (m.wrong == 0) {
    line += " is incomplete: " + std::to_string(m.unwritten) + " of " + std::to_string(total) +
            " elements " + (m.unwritten == 1 ? "was" : "were") +
            " never written, or made from what was never written";
  } else {
    line += " is wrong: " + std::to_string(m.wrong) + " of " + std::to_string(total) + " elements";
    if (m.unwritten > 0)
      line += ", and " + std::to_string(m.unwritten) + (m.unwritten == 1 ? " was" : " were") +
              " never written";
  }
  line += ", first at " + place(m.first_row, m.first_col, options.is_vector) + ": ";
  const double expected = m.expected(m.first_row, m.first_col);
  if (m.at(m.first_row, m.first_col) == Element::unwritten) {
    line += "expected " + number(expected, 7) + ", got nothing";
  } else {
    line += expected_and_got(expected, m.got(m.first_row, m.first_col));
  }
  if (!options.shape.empty()) line += " (" + options.shape + ")";
  return line;
}

// The largest finite error, for failures of precision rather than of logic.
std::string largest_error(const Mismatch& m, bool is_vector) {
  double largest = 0;
  int row = -1, col = -1;
  for (int r = 0; r < m.rows(); ++r) {
    for (int c = 0; c < m.cols(); ++c) {
      const double error = std::abs(m.got(r, c) - m.expected(r, c));
      if (m.at(r, c) != Element::wrong || !std::isfinite(error) || error <= largest) continue;
      largest = error;
      row = r;
      col = c;
    }
  }
  if (row < 0) return "";
  const double bound = m.bound(row, col);
  std::string line = "  largest error: " + number(largest, 3) + " at " +
                     place(row, col, is_vector) + "; allowed there: " + number(bound, 3);
  return line + "\n";
}

char cell_symbol(const Mismatch& m, std::int64_t first, std::int64_t last) {
  bool unwritten = false;
  for (std::int64_t i = first; i < last; ++i) {
    const Element element = m.elements[static_cast<std::size_t>(i)];
    if (element == Element::wrong) return 'x';
    unwritten = unwritten || element == Element::unwritten;
  }
  return unwritten ? '?' : '.';
}

// The strongest symbol wins where a cell has several rows.
char stronger(char a, char b) {
  if (a == 'x' || b == 'x') return 'x';
  return a == '?' || b == '?' ? '?' : '.';
}

std::string vector_grid(const Mismatch& m) {
  const std::int64_t size = m.cols();
  const std::int64_t cell = std::max<std::int64_t>(1, ceil_div(size, grid_rows * grid_cols));
  std::string text = "  " + std::to_string(size) + " elements";
  text += cell == 1 ? ":\n" : ", " + std::to_string(cell) + " to a cell:\n";
  for (std::int64_t row = 0; row < size; row += cell * grid_cols) {
    text += "    ";
    for (std::int64_t i = row; i < std::min(size, row + cell * grid_cols); i += cell) {
      text += cell_symbol(m, i, std::min(size, i + cell));
    }
    text += '\n';
  }
  return text;
}

std::string matrix_grid(const Mismatch& m) {
  const int height = std::max(1, ceil_div(m.rows(), grid_rows));
  const int width = std::max(1, ceil_div(m.cols(), grid_cols));
  std::string text = "  " + counted(m.rows(), "row") + ", " + counted(m.cols(), "column");
  text += height * width == 1
              ? ":\n"
              : ", " + std::to_string(height) + "x" + std::to_string(width) + " to a cell:\n";
  for (int top = 0; top < m.rows(); top += height) {
    text += "    ";
    for (int left = 0; left < m.cols(); left += width) {
      char symbol = '.';
      for (int r = top; r < std::min(m.rows(), top + height); ++r) {
        const std::int64_t row = static_cast<std::int64_t>(r) * m.cols();
        symbol =
            stronger(symbol, cell_symbol(m, row + left, row + std::min(m.cols(), left + width)));
      }
      text += symbol;
    }
    text += '\n';
  }
  return text;
}

}  // namespace

bool is_right(double got, bool is_unwritten, double expected, double bound) {
  if (std::isnan(expected)) return std::isnan(got) && !is_unwritten;
  if (std::isinf(expected)) return got == expected;
  return got == expected || std::abs(got - expected) <= bound;
}

bool Mismatch::all_bad_are_nan() const {
  for (int r = 0; r < rows(); ++r) {
    for (int c = 0; c < cols(); ++c) {
      if (is_bad(r, c) && at(r, c) != Element::unwritten && !std::isnan(got(r, c))) return false;
    }
  }
  return true;
}

bool Mismatch::explained_by(const std::function<double(int, int)>& candidate,
                            std::int64_t least) const {
  std::int64_t explained = 0;
  for (int r = 0; r < rows(); ++r) {
    for (int c = 0; c < cols(); ++c) {
      if (!is_bad(r, c)) continue;
      const double value = candidate(r, c);
      if (std::isnan(value)) continue;
      if (!(std::abs(got(r, c) - value) <= bound(r, c))) return false;
      ++explained;
    }
  }
  return explained >= least && 2 * explained >= bad();
}

Mismatch find_mismatch(HostMatrix<double> got, const std::vector<bool>& is_unwritten,
                       HostMatrix<double> expected, HostMatrix<double> bound) {
  for (const HostMatrix<double>* other : {&expected, &bound}) {
    require(other->rows() == got.rows() && other->cols() == got.cols(),
            {"the result is ", shape_part(got.cview()), ", its reference or bound is ",
             shape_part(other->cview()), "; expected equal shapes"});
  }
  Mismatch mismatch{std::move(got), std::move(expected), std::move(bound), {}};
  mismatch.elements.reserve(is_unwritten.size());
  for (int r = 0; r < mismatch.rows(); ++r) {
    for (int c = 0; c < mismatch.cols(); ++c) {
      const bool unwritten = is_unwritten[mismatch.elements.size()];
      const bool right =
          is_right(mismatch.got(r, c), unwritten, mismatch.expected(r, c), mismatch.bound(r, c));
      const Element element = right       ? Element::right
                              : unwritten ? Element::unwritten
                                          : Element::wrong;
      mismatch.elements.push_back(element);
      if (right) continue;
      ++(element == Element::wrong ? mismatch.wrong : mismatch.unwritten);
      if (mismatch.bad() > 1) continue;
      mismatch.first_row = r;
      mismatch.first_col = c;
    }
  }
  return mismatch;
}

std::string draw_grid(const Mismatch& mismatch, bool is_vector) {
  return (is_vector ? vector_grid(mismatch) : matrix_grid(mismatch)) +
         "    . right   x wrong   ? never written\n";
}

Outcome describe(const Mismatch& mismatch, const CompareOptions& options) {
  if (!options.shape.empty()) note_case(options.shape);
  if (mismatch.bad() == 0) return {};
  std::string pattern = options.pattern ? options.pattern(mismatch) : "";
  if (pattern.empty()) pattern = recognise_pattern(mismatch, options);
  if (options.probe && (pattern.empty() || pattern.ends_with("every element is wrong"))) {
    const std::string probed = options.probe();
    if (!probed.empty()) pattern = probed;
  }
  std::string text = first_line(mismatch, options) + "\n";
  if (!pattern.empty()) text += "  pattern: " + pattern + "\n";
  text += largest_error(mismatch, options.is_vector);
  // A picture of nothing but one symbol says less than the first line.
  const bool uniform = std::ranges::all_of(
      mismatch.elements, [&](Element e) { return e == mismatch.elements.front(); });
  if (!uniform) text += draw_grid(mismatch, options.is_vector);
  return failure("values", text);
}

}  // namespace tut
