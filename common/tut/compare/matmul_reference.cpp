#include "tut/compare/matmul_reference.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tut/errors/require.hpp"

namespace tut {
namespace {

double partial_sum(const HostMatrix<double>& a, const HostMatrix<double>& b, int row, int col,
                   int start, int stop) {
  double sum = 0;
  for (int k = start; k < stop; ++k) sum += a(row, k) * b(k, col);
  return sum;
}

bool holds_terms(const Mismatch& m, const HostMatrix<double>& a, const HostMatrix<double>& b,
                 int start, int stop) {
  const double first = m.got(m.first_row, m.first_col);
  const double sum = partial_sum(a, b, m.first_row, m.first_col, start, stop);
  if (!(std::abs(first - sum) <= m.bound(m.first_row, m.first_col))) return false;
  return m.explained_by([&](int r, int c) { return partial_sum(a, b, r, c, start, stop); }, 1);
}

std::string missing_tail_text(int stop, int size) {
  const std::string k = std::to_string(stop);
  const bool one_short = stop == size - 1;
  for (int tile = 128; tile >= 4; tile /= 2) {
    if (size % tile == 0 || stop == 0 || stop != size / tile * tile) continue;
    return one_short
               ? "the last term of each sum (k = " + k +
                     ") is missing: a k loop one short, or the last partial tile of k left out"
               : "the last partial tile of k is missing: the terms from k = " + k +
                     " on are not in the sums";
  }
  if (one_short)
    return "the k loop is one short: the last term of each sum (k = " + k + ") is missing";
  return "the k loop ends early: the terms from k = " + k + " on are not in the sums";
}

std::string missing_head_text(int start) {
  if (start == 1) return "the first term of each sum (k = 0) is missing";
  return "only the terms from k = " + std::to_string(start) +
         " on are in the sums: are they reset for every tile of k?";
}

std::string missing_terms_pattern(const Mismatch& m, const HostMatrix<double>& a,
                                  const HostMatrix<double>& b) {
  const int size = a.cols();
  for (int stop = size - 1; stop > 0; --stop) {
    if (holds_terms(m, a, b, 0, stop)) return missing_tail_text(stop, size);
  }
  for (int start = 1; start < size; ++start) {
    if (holds_terms(m, a, b, start, size)) return missing_head_text(start);
  }
  return "";
}

/// "k = 3 of every 4", "k = 4 to 7 of every 8", of terms that are missing in each step of so many;
/// "" if there is no such step, or no one run of terms in it.
std::string every_step_text(const std::vector<bool>& terms) {
  const std::size_t size = terms.size();
  for (std::size_t step = 2; 2 * step <= size; ++step) {
    bool repeats = true;
    for (std::size_t k = step; repeats && k < size; ++k) repeats = terms[k] == terms[k - step];
    if (!repeats) continue;
    const auto end = terms.begin() + static_cast<std::ptrdiff_t>(step);
    const auto first = std::find(terms.begin(), end, false), last = std::find(first, end, true);
    const bool is_run = first != end && std::find(last, end, false) == end;
    if (!is_run || (first == terms.begin() && last == end)) return "";
    const std::string k = std::to_string(first - terms.begin()),
                      to = std::to_string(last - terms.begin() - 1);
    return (k == to ? "the term k = " + k : "the terms k = " + k + " to " + to) + " of every " +
           std::to_string(step) + (k == to ? " is missing" : " are missing");
  }
  return "";
}

std::string missing_steps_pattern(const Mismatch& m, const HostMatrix<double>& a,
                                  const HostMatrix<double>& b, const std::vector<bool>& terms) {
  const std::string text = every_step_text(terms);
  if (text.empty()) return "";
  const auto sum = [&](int r, int c) {
    double result = 0;
    for (int k = 0; k < a.cols(); ++k) {
      if (terms[static_cast<std::size_t>(k)]) result += a(r, k) * b(k, c);
    }
    return result;
  };
  if (!m.explained_by(sum, 1)) return "";
  return text + ": is each partial sum added, and each step of the k loop taken?";
}

HostMatrix<double> transposed(const HostMatrix<double>& matrix) {
  return make_matrix<double>(matrix.cols(), matrix.rows(),
                             [&](int r, int c) { return matrix(c, r); });
}

bool is_product(const Mismatch& m, const HostMatrix<double>& a, const HostMatrix<double>& b) {
  const HostMatrix<double> product = matmul_reference(a, b).product;
  return m.explained_by([&](int r, int c) { return product(r, c); });
}

std::string swapped_pattern(const Mismatch& m, const HostMatrix<double>& a,
                            const HostMatrix<double>& b) {
  const bool a_square = a.rows() == a.cols(), b_square = b.rows() == b.cols();
  if (a_square && a.rows() > 1 && is_product(m, transposed(a), b)) {
    return "A is read with rows and columns swapped";
  }
  if (b_square && b.rows() > 1 && is_product(m, a, transposed(b))) {
    return "B is read with rows and columns swapped";
  }
  if (a_square && b_square && a.rows() > 1 && is_product(m, b, a)) {
    return "the factors are swapped: this is B A";
  }
  return "";
}

}  // namespace

MatmulReference matmul_reference(const HostMatrix<double>& a, const HostMatrix<double>& b) {
  require(a.cols() == b.rows(), {"A is ", shape_part(a.cview()), ", B is ", shape_part(b.cview()),
                                 "; expected (M, K) x (K, N)"});
  MatmulReference reference{HostMatrix<double>(a.rows(), b.cols()),
                            HostMatrix<double>(a.rows(), b.cols()), a.cols()};
  reference.product.fill(0);
  reference.magnitude.fill(0);
  for (int r = 0; r < a.rows(); ++r) {
    double* product = reference.product.row(r).data();
    double* magnitude = reference.magnitude.row(r).data();
    for (int k = 0; k < a.cols(); ++k) {
      const double factor = a(r, k);
      const double* b_row = b.row(k).data();
      for (int c = 0; c < b.cols(); ++c) {
        product[c] += factor * b_row[c];
        magnitude[c] += std::abs(factor * b_row[c]);
      }
    }
  }
  return reference;
}

HostMatrix<double> matmul_bound(const MatmulReference& reference,
                                const MatmulTolerance& tolerance) {
  const double per_magnitude =
      2 * std::sqrt(reference.k) * tolerance.accumulation + 2 * tolerance.input_rounding;
  return make_matrix<double>(reference.product.rows(), reference.product.cols(), [&](int r, int c) {
    return per_magnitude * reference.magnitude(r, c) +
           tolerance.output_rounding * std::abs(reference.product(r, c)) + tolerance.underflow;
  });
}

std::string matmul_pattern(const Mismatch& m, const HostMatrix<double>& a,
                           const HostMatrix<double>& b,
                           const std::function<std::vector<bool>()>& terms) {
  if (m.unwritten > 0) return "";
  const std::string at_end = missing_terms_pattern(m, a, b);
  std::string swapped = at_end.empty() ? swapped_pattern(m, a, b) : "";
  if (!swapped.empty()) return swapped;
  const std::string steps = missing_steps_pattern(m, a, b, terms());
  return steps.empty() ? at_end : steps;
}

}  // namespace tut
