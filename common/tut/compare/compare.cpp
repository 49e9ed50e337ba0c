#include "tut/compare/compare.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "tut/compare/case_summary.hpp"
#include "tut/compare/region.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

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
  const auto is_whole = [](double x) { return x == std::floor(x) && std::abs(x) < 0x1p50; };
  int digits = is_whole(expected) && is_whole(got) ? 16 : 7;
  while (digits < 17 && number(expected, digits) == number(got, digits)) ++digits;
  return "expected " + number(expected, digits) + ", got " + number(got, digits);
}

std::string place(int r, int c, bool is_vector) {
  if (is_vector) return "element " + std::to_string(c);
  return "row " + std::to_string(r) + ", column " + std::to_string(c);
}

/// A word of so many bits in full: "0x0000001F".
std::string word_text(double value, int bits) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%0*llX", bits / 4, static_cast<unsigned long long>(value));
  return text;
}

/// The bits in which two words differ.
std::uint64_t difference(double a, double b) {
  return static_cast<std::uint64_t>(a) ^ static_cast<std::uint64_t>(b);
}

std::string expected_and_got_word(double expected, double got, int bits) {
  const int bit = std::countr_zero(difference(expected, got));
  return "expected " + word_text(expected, bits) + ", got " + word_text(got, bits) + ": bit " +
         std::to_string(bit) + " should be " +
         std::to_string(static_cast<std::uint64_t>(expected) >> bit & 1);
}

/// How many bits of the words that were written are wrong.
std::int64_t wrong_bits(const Mismatch& m) {
  std::int64_t count = 0;
  for (int r = 0; r < m.rows(); ++r) {
    for (int c = 0; c < m.cols(); ++c) {
      if (m.at(r, c) == Element::wrong)
        count += std::popcount(difference(m.expected(r, c), m.got(r, c)));
    }
  }
  return count;
}

/// "expected 1, got 2", of the first bad element.
std::string first_values(const Mismatch& m, const CompareOptions& options) {
  const double expected = m.expected(m.first_row, m.first_col);
  const double got = m.got(m.first_row, m.first_col);
  const int bits = options.word_bits;
  if (m.at(m.first_row, m.first_col) == Element::unwritten) {
    return "expected " + (bits > 0 ? word_text(expected, bits) : number(expected, 7)) +
           ", got nothing";
  }
  return bits > 0 ? expected_and_got_word(expected, got, bits) : expected_and_got(expected, got);
}

/// "9 of 64 elements are wrong", "3 bits in 2 of 64 words are wrong".
std::string how_many(const Mismatch& m, const CompareOptions& options) {
  const std::int64_t total = static_cast<std::int64_t>(m.rows()) * m.cols();
  const std::string share = std::to_string(m.wrong) + " of " + std::to_string(total);
  if (options.word_bits == 0)
    return share + " elements " + (m.wrong == 1 ? "is" : "are") + " wrong";
  const std::int64_t bits = wrong_bits(m);
  return counted(bits, "bit") + " in " + share + " words " + (bits == 1 ? "is" : "are") + " wrong";
}

std::string first_line(const Mismatch& m, const CompareOptions& options) {
  const std::int64_t total = static_cast<std::int64_t>(m.rows()) * m.cols();
  const bool is_single = total == 1 && m.wrong == 1;
  // Names may be plural: they are no sentence's subject.
  std::string line = options.name + ": ";
  if (m.wrong == 0) {
    line += std::to_string(m.unwritten) + " of " + std::to_string(total) + " elements " +
            (m.unwritten == 1 ? "was" : "were") +
            " never written, or computed from what was never written";
  } else if (!is_single) {
    line += how_many(m, options);
    if (m.unwritten > 0)
      line += ", and " + std::to_string(m.unwritten) + (m.unwritten == 1 ? " was" : " were") +
              " never written";
  }
  if (!is_single) {
    line += ", first at " +
            (options.word_bits > 0 && options.is_vector
                 ? "word " + std::to_string(m.first_col)
                 : place(m.first_row, m.first_col, options.is_vector)) +
            ": ";
  }
  line += first_values(m, options);
  if (!options.shape.empty()) line += " (" + options.shape + ")";
  return line;
}

// The largest finite error, for failures of precision rather than of logic. Of a single wrong
// element the first line has said what it is.
std::string largest_error(const Mismatch& m, bool is_vector) {
  if (m.wrong < 2) return "";
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

/// What is drawn of a result: a line that says how much of it a cell is, and the cells, in lines.
struct Picture {
  std::string title, cells;
};

Picture vector_picture(const Mismatch& m) {
  const std::int64_t size = m.cols();
  const std::int64_t cell = std::max<std::int64_t>(1, ceil_div(size, grid_rows * grid_cols));
  Picture picture{"  " + std::to_string(size) + " elements", ""};
  picture.title += cell == 1 ? ":\n" : ", " + std::to_string(cell) + " to a cell:\n";
  std::string& text = picture.cells;
  for (std::int64_t row = 0; row < size; row += cell * grid_cols) {
    text += "    ";
    for (std::int64_t i = row; i < std::min(size, row + cell * grid_cols); i += cell) {
      text += cell_symbol(m, i, std::min(size, i + cell));
    }
    text += '\n';
  }
  return picture;
}

/// `lines` and `in_line` say what they are: "6 planes", "35 elements each".
Picture matrix_picture(const Mismatch& m, int rows, int cols, const std::string& lines,
                       const std::string& in_line) {
  const int height = std::max(1, ceil_div(rows, grid_rows));
  const int width = std::max(1, ceil_div(cols, grid_cols));
  Picture picture{"  " + lines + ", " + in_line, ""};
  picture.title += height * width == 1 ? ":\n"
                                       : ", " + std::to_string(height) + "x" +
                                             std::to_string(width) + " to a cell:\n";
  std::string& text = picture.cells;
  for (int top = 0; top < rows; top += height) {
    text += "    ";
    for (int left = 0; left < cols; left += width) {
      char symbol = '.';
      for (int r = top; r < std::min(rows, top + height); ++r) {
        const std::int64_t row = static_cast<std::int64_t>(r) * cols;
        symbol = stronger(symbol, cell_symbol(m, row + left, row + std::min(cols, left + width)));
      }
      text += symbol;
    }
    text += '\n';
  }
  return picture;
}

Picture picture_of(const Mismatch& m, const CompareOptions& options) {
  if (options.is_vector && options.planes > 1) {
    const int size = m.cols() / options.planes;
    return matrix_picture(m, options.planes, size, counted(options.planes, "plane"),
                          counted(size, "element") + " each");
  }
  if (options.is_vector) return vector_picture(m);
  return matrix_picture(m, m.rows(), m.cols(), counted(m.rows(), "row"),
                        counted(m.cols(), "column"));
}

/// "every element of plane 3 is wrong"; "" if whole planes are not what is bad.
std::string planes_pattern(const Mismatch& m, int planes) {
  if (planes < 2 || m.unwritten > 0) return "";
  const int size = m.cols() / planes;
  const std::string region = describe_region(
      planes, size, [&](int r, int c) { return m.is_bad(0, r * size + c); }, false, "plane");
  const auto names = [&](const char* what) { return region.find(what) != std::string::npos; };
  return names("plane") && !names("column") ? region + " is wrong" : "";
}

/// Whether more than nine cells in ten are the same, bad ones: where they are shows nothing.
bool is_nearly_all_bad(const std::string& cells) {
  const auto count = [&](char symbol) { return std::ranges::count(cells, symbol); };
  const auto wrong = count('x'), unwritten = count('?');
  return 10 * std::max(wrong, unwritten) > 9 * (wrong + unwritten + count('.'));
}

/// A few elements without a rule: a picture of them shows none.
bool is_scattered(const Mismatch& m, bool is_vector) {
  const bool are_few = m.bad() > 2 && 50 * m.bad() < static_cast<std::int64_t>(m.rows()) * m.cols();
  return are_few && describe_region(
                        m.rows(), m.cols(), [&](int r, int c) { return m.is_bad(r, c); }, is_vector)
                        .empty();
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

bool Mismatch::is_near(int row, int col, double value, double slack) const {
  if (got(row, col) == value) return true;
  return std::isfinite(slack) && std::isfinite(value) && std::abs(got(row, col) - value) <= slack;
}

bool Mismatch::explained_by(const std::function<double(int, int)>& candidate,
                            std::int64_t least) const {
  std::int64_t explained = 0;
  for (int r = 0; r < rows(); ++r) {
    for (int c = 0; c < cols(); ++c) {
      if (!is_bad(r, c)) continue;
      const double value = candidate(r, c);
      if (std::isnan(value)) continue;
      if (!is_near(r, c, value, bound(r, c))) return false;
      ++explained;
    }
  }
  return explained >= least && 2 * explained >= bad();
}

namespace {

/// Also those that are right by chance: a result is made by one formula.
bool gives_all(const Formula& formula, const Mismatch& m) {
  constexpr std::int64_t kLeast = 3;
  constexpr double kRounding = 1e-5;  // of a value that may be much larger than what is expected
  std::int64_t given = 0;
  for (int r = 0; r < m.rows(); ++r) {
    for (int c = 0; c < m.cols(); ++c) {
      const double value = formula.value(r, c);
      if (std::isnan(value)) continue;
      const double slack = std::max(m.bound(r, c), kRounding * std::abs(value));
      if (!m.is_near(r, c, value, slack)) return false;
      given += m.is_bad(r, c) ? 1 : 0;
    }
  }
  return given >= kLeast && 2 * given >= m.bad();
}

}  // namespace

std::string formula_pattern(const Mismatch& mismatch, const std::vector<Formula>& formulas) {
  for (const Formula& formula : formulas) {
    if (gives_all(formula, mismatch)) return "each wrong element is " + formula.text;
  }
  return "";
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

std::string draw_grid(const Mismatch& mismatch, const CompareOptions& options) {
  if (mismatch.bad() == 1 || is_scattered(mismatch, options.is_vector)) return "";
  const Picture picture = picture_of(mismatch, options);
  if (is_nearly_all_bad(picture.cells)) return "";
  return picture.title + picture.cells + "    . right   x wrong   ? never written\n";
}

Outcome describe(const Mismatch& mismatch, const CompareOptions& options) {
  if (!options.shape.empty()) note_case(options.shape);
  if (mismatch.bad() == 0) return {};
  // More calls of what is wrong take their time, and a learner is told of one failure.
  constexpr int kFirstFailures = 3;
  const bool looks_closer = failures_so_far() < kFirstFailures;
  std::string pattern = options.pattern && looks_closer ? options.pattern(mismatch) : "";
  if (pattern.empty()) pattern = recognise_pattern(mismatch, options);
  if (pattern.empty()) pattern = planes_pattern(mismatch, options.planes);
  if (options.probe && looks_closer &&
      (pattern.empty() || pattern.ends_with("every element is wrong"))) {
    const std::string probed = options.probe();
    if (!probed.empty()) pattern = probed;
  }
  std::string text = first_line(mismatch, options) + "\n";
  if (!pattern.empty()) text += "  pattern: " + pattern + "\n";
  if (options.word_bits == 0) text += largest_error(mismatch, options.is_vector);
  text += draw_grid(mismatch, options);
  return failure("values", text);
}

}  // namespace tut
