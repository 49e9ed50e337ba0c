#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tut/compare/lower_precision.hpp"
#include "tut/matrix/host_matrix.hpp"
#include "tut/testing/outcome.hpp"

namespace tut {

/// One element of a result: within its bound, outside of it, or still what it was at the start.
enum class Element : unsigned char { right, wrong, unwritten };

/// Whether an element is right: |got - expected| is at most the bound. Where an infinity is
/// expected, only that is right; where NaN is, a NaN that was written; elsewhere NaN is wrong.
bool is_right(double got, bool is_unwritten, double expected, double bound);
/// The same of a value as it is stored.
template <class T>
bool is_right(const T& got, double expected, double bound) {
  const bool right = is_right(to_double(got), is_unwritten(got), expected, bound);
  if (right && tries_limits()) {
    note_right_value(significant_bits<T>(), to_double(got), expected, bound);
  }
  return right;
}

/// A result beside what it should be, element by element. Bound (r, c) is the largest allowed
/// error (is_right).
struct Mismatch {
  HostMatrix<double> got, expected, bound;  // (rows, cols) each
  std::vector<Element> elements;            // rows * cols
  std::int64_t wrong = 0, unwritten = 0;
  int first_row = -1, first_col = -1;

  int rows() const { return got.rows(); }
  int cols() const { return got.cols(); }
  std::int64_t bad() const { return wrong + unwritten; }
  Element at(int r, int c) const {
    return elements[static_cast<std::size_t>(r) * static_cast<std::size_t>(cols()) +
                    static_cast<std::size_t>(c)];
  }
  bool is_bad(int r, int c) const { return at(r, c) != Element::right; }
  /// Whether no bad element holds a number: it was never written, or computed as NaN.
  bool all_bad_are_nan() const;

  /// Is the element within `slack` of `value`? An infinity is near nothing but itself.
  bool is_near(int row, int col, double value, double slack) const;
  /// Whether `candidate(r, c)` is within the bound of every element that is not right. NaN from
  /// the candidate means "no opinion": of the bad elements at least half, and `least` of them,
  /// must have one.
  bool explained_by(const std::function<double(int, int)>& candidate, std::int64_t least = 2) const;
};

struct CompareOptions {
  /// The name of the result in the report.
  std::string name = "C";
  /// What was multiplied, say, "64x48 * 48x64, alpha 0.5"; stands in parentheses in the first line.
  /// If one of its numbers explains a factor that is wrong, that is said.
  std::string shape = {};
  /// The elements from the beginning of a row to that of the next, in the memory that was computed
  /// to; 0: not known. Where it is large, what is missing may lie beyond an index of 32 bits.
  std::int64_t stride = 0;
  /// A single row that is a vector: the report counts elements instead of rows and columns.
  bool is_vector = false;
  /// The planes that a vector is made of, as a tensor is, all of one size; 0: none. The picture has
  /// a line for each.
  int planes = 0;
  /// The elements are words of so many bits, not numbers; 0: they are numbers.
  int word_bits = 0;
  /// The significant bits that the contract promises of numbers, where it promises fewer than their
  /// type has: 11 of a product in TF32. 0: all.
  int promised_bits = 0;
  /// Called first for the pattern of a failure; returns "" if it recognises none.
  std::function<std::string(const Mismatch&)> pattern = {};
  /// Called where the wrong elements show no pattern, or all are wrong: returns what one-hot inputs
  /// show (probe_one_hot).
  std::function<std::string()> probe = {};
};

/// Classifies every element; `is_unwritten` has rows * cols flags. All shapes must be equal.
Mismatch find_mismatch(HostMatrix<double> got, const std::vector<bool>& is_unwritten,
                       HostMatrix<double> expected, HostMatrix<double> bound);

/// The failure in words: the first wrong element, how many, the pattern, a small picture.
Outcome describe(const Mismatch& mismatch, const CompareOptions& options);

/// The pattern that a failure's values or places show, one sentence, or "" if none is known.
std::string recognise_pattern(const Mismatch& mismatch, const CompareOptions& options);

/// A formula of a known mistake, and the value that it gives each element: "what the old velocity
/// gives".
struct Formula {
  std::string text;
  std::function<double(int row, int col)> value;  ///< NaN: no opinion
};
inline constexpr double no_opinion = std::numeric_limits<double>::quiet_NaN();

/// "each wrong element is TEXT", of the first formula that gives the whole result, of which three
/// elements at least are wrong; "" if none does.
std::string formula_pattern(const Mismatch& mismatch, const std::vector<Formula>& formulas);

/// Where a NaN is expected and a number is there, a line for the failure's report that says what
/// may lose one; "" otherwise.
std::string reason_of_lost_nan(double got, double expected);

/// The picture: at most 16 x 32 cells; '.' right, 'x' wrong, '?' never written. "" where it says
/// less than the first line: of a single bad element, of a few without a rule, or if nearly all
/// cells are the same.
std::string draw_grid(const Mismatch& mismatch, const CompareOptions& options);

/// Compares a result on the host with its reference, element by element, as is_right says. Elements
/// that still are unwritten_value<T>() are reported as never written. Throws std::invalid_argument
/// if the shapes differ.
template <class T>
Outcome compare(const MatrixView<T>& got, const HostMatrix<double>& expected,
                const HostMatrix<double>& bound, const CompareOptions& options = {}) {
  using Value = std::remove_const_t<T>;
  std::vector<bool> unwritten;
  unwritten.reserve(static_cast<std::size_t>(got.rows) * static_cast<std::size_t>(got.cols));
  for (int r = 0; r < got.rows; ++r) {
    for (int c = 0; c < got.cols; ++c) {
      unwritten.push_back(is_unwritten(static_cast<const Value&>(got(r, c))));
    }
  }
  if constexpr (sizeof(Value) == 1) {
    // One byte in 256 is the unwritten one by chance.
    const auto count = std::ranges::count(unwritten, true);
    if (16 * count < std::ssize(unwritten)) unwritten.assign(unwritten.size(), false);
  }
  const Mismatch mismatch = find_mismatch(to_double_matrix(got), unwritten, expected, bound);
  if (mismatch.bad() == 0 && tries_limits()) {
    const SignificantBits promised{options.promised_bits};
    lower_precision_trial().note(options.name,
                                 promised.count > 0 ? promised : significant_bits<Value>(),
                                 mismatch.got, mismatch.expected, mismatch.bound);
  }
  return describe(mismatch, options);
}

/// The same for vectors.
template <class T>
Outcome compare(std::span<const T> got, std::span<const double> expected,
                std::span<const double> bound, CompareOptions options = {}) {
  const auto row = [](std::span<const double> values) {
    HostMatrix<double> matrix(1, static_cast<int>(values.size()));
    std::ranges::copy(values, matrix.data());
    return matrix;
  };
  options.is_vector = true;
  const auto size = static_cast<int>(got.size());
  return compare(MatrixView<const T>{got.data(), 1, size, size}, row(expected), row(bound),
                 options);
}

/// The same for vectors whose elements must all equal the expected ones (`==`), or be NaN where NaN
/// is expected.
template <class T>
Outcome compare_exactly(const std::vector<T>& got, const std::vector<T>& expected,
                        const std::string& name, CompareOptions options = {}) {
  const std::vector<double> values(expected.begin(), expected.end()), bound(expected.size(), 0.0);
  options.name = name;
  return compare(std::span<const T>(got), std::span<const double>(values),
                 std::span<const double>(bound), std::move(options));
}

/// The same for words of bits.
template <std::unsigned_integral T>
Outcome compare_words(const std::vector<T>& got, const std::vector<T>& expected,
                      const std::string& name) {
  return compare_exactly(got, expected, name, {.word_bits = 8 * static_cast<int>(sizeof(T))});
}

}  // namespace tut
