#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "simt/inspect/check/interface.hpp"
#include "tut/compare/compare.hpp"
#include "tut/compare/matmul_reference.hpp"
#include "tut/compare/probe.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/numeric/random.hpp"
#include "tut/trial/call_outcome.hpp"
#include "tut/trial/guarded.hpp"
#include "tut/trial/refusal.hpp"

namespace tut {

/// C (m, n) = A (m, k) B (k, n).
struct MatmulShape {
  int m, n, k;
  bool operator==(const MatmulShape&) const = default;
};

/// "64x48 * 48x64".
std::string shape_text(const MatmulShape& shape);

/// Shapes that a kernel with tiles of tile_m x tile_n, tile_k deep, must survive: one tile, 1,
/// a tile less one and plus one, several tiles, a single row and column, primes. None is large.
std::vector<MatmulShape> matmul_shapes(int tile_m, int tile_n, int tile_k);
inline std::vector<MatmulShape> matmul_shapes(int tile) { return matmul_shapes(tile, tile, tile); }

struct MatmulTestOptions {
  std::vector<MatmulShape> shapes = matmul_shapes(16);
  /// output_rounding and underflow are set from C's type where they are 0.
  MatmulTolerance tolerance = {};
  /// What the launcher demands, if it does: sizes and strides that are multiples of these.
  int m_multiple = 1, n_multiple = 1, k_multiple = 1, stride_multiple = 1;
  /// Whether shapes that do not fit must throw std::invalid_argument.
  bool rejects_wrong_shapes = true;
  std::uint64_t seed = 1;
};

/// Runs the function under test on the three images and leaves in them what its memory then holds.
/// Throws CallFailure for errors of CUDA, and for calls that break the rules of their stream.
template <class T, class U>
struct MatmulRun : std::function<void(Guarded<T>& a, Guarded<T>& b, Guarded<U>& c)> {
  using Function = std::function<void(Guarded<T>& a, Guarded<T>& b, Guarded<U>& c)>;
  using Function::Function;

  /// 'A' or 'B': the function gets the transpose of that factor, and failures speak of that.
  char transposed = 0;
  /// The stride with which the function gets the transpose of an image.
  std::function<std::int64_t(const Guarded<T>&)> transposed_stride = {};

  /// Says of a case what the function gets of these images, where that is something else.
  std::function<std::string(std::string text, const Guarded<T>& a, const Guarded<T>& b,
                            const Guarded<U>& c)>
      retold = {};
};

/// Inputs of one case.
enum class MatmulInputs { random, dense_random, small_integers, one_hot_a, one_hot_b };

/// What happened over all cases: the first failure, and which shapes were right.
class MatmulTally {
 public:
  /// Takes the outcome of one case.
  void add(const MatmulShape& shape, Outcome outcome);
  bool has_failed() const { return !first_.ok; }
  bool stopped() const { return stopped_; }
  /// The first failure, its report completed by one line about the other shapes (summary_of_cases).
  /// `transposed`: the factor that the function gets transposed.
  Outcome result(char transposed = 0) const;

 private:
  struct Entry {
    MatmulShape shape;
    bool ok;
  };
  std::vector<Entry> entries_;
  Outcome first_;
  bool stopped_ = false;
};

namespace detail {

/// The shapes, rounded up to the multiples the launcher demands, each once.
std::vector<MatmulShape> usable_shapes(const MatmulTestOptions& options);

/// "shape 64x48 * 48x64, strides 51, 65 and 66, one-hot ...".
std::string case_text(const MatmulShape& shape, MatmulInputs inputs, std::int64_t a_stride,
                      std::int64_t b_stride, std::int64_t c_stride);

/// A case's text as it is where the function gets a factor transposed, with that stride: "shape
/// 64x48 * (32x48)^T", and elements and rows of it by its own rows and columns.
std::string text_of_transposed(char factor, std::int64_t stride, std::string text);

/// Small integers whose sums of k products are exact up to `exact`; 0 if there are none.
int exact_limit(int k, double exact);

/// Values in float of one input; `part` is 0 for A, 1 for B.
HostMatrix<float> matmul_input(int rows, int cols, MatmulInputs inputs, int part, int limit,
                               std::uint64_t seed);

template <class T>
HostMatrix<T> rounded(const HostMatrix<float>& values) {
  return make_matrix<T>(values.rows(), values.cols(),
                        [&](int r, int c) { return from_float<T>(values(r, c)); });
}

/// Three images, laid out for one case.
template <class T, class U>
struct MatmulImages {
  Guarded<T> a, b;
  Guarded<U> c;
};

template <class T, class U>
MatmulImages<T, U> make_images(const MatmulShape& shape, bool dense,
                               const MatmulTestOptions& options) {
  const auto stride = [&](int cols, int extra) -> std::int64_t {
    const int multiple = options.stride_multiple;
    return dense ? cols : round_up(cols + 1, multiple) + extra * multiple;
  };
  int largest = 1;
  for (const MatmulShape& s : options.shapes) largest = std::max({largest, s.m, s.n, s.k});
  const auto guard = [&](std::int64_t row_stride) -> std::size_t {
    return dense ? 0 : static_cast<std::size_t>(round_up(largest * row_stride, 64));
  };
  const std::int64_t a = stride(shape.k, 0), b = stride(shape.n, 1), c = stride(shape.n, 2);
  return {Guarded<T>(shape.m, shape.k, a, guard(a)), Guarded<T>(shape.k, shape.n, b, guard(b)),
          Guarded<U>(shape.m, shape.n, c, guard(c))};
}

/// A case's text, as it is for what the function gets.
template <class T, class U>
std::string text_for(const MatmulRun<T, U>& run, const MatmulImages<T, U>& images,
                     const std::string& text) {
  if (run.retold) return run.retold(text, images.a, images.b, images.c);
  if (run.transposed == 0) return text;
  return text_of_transposed(
      run.transposed, run.transposed_stride(run.transposed == 'A' ? images.a : images.b), text);
}

/// Whether C ends up as the product plus what it held before: a sum that was never set to 0.
template <class T, class U>
bool adds_to_output(const MatmulRun<T, U>& run, MatmulImages<T, U> images,
                    const HostMatrix<double>& product, const HostMatrix<double>& bound) {
  images.c.fill(from_float<U>(1));
  try {
    run(images.a, images.b, images.c);
  } catch (const std::exception&) {
    return false;
  }
  const auto sum = make_matrix<double>(product.rows(), product.cols(),
                                       [&](int r, int c) { return product(r, c) + 1; });
  const auto wider = make_matrix<double>(product.rows(), product.cols(), [&](int r, int c) {
    return 4 * bound(r, c) + 4 * std::max(Precision<U>::rounding, 0x1p-24);
  });
  return compare(images.c.cview(), sum, wider).ok;
}

template <class T, class U>
MatmulTolerance tolerance_for(MatmulTolerance tolerance, bool exact) {
  if (exact || std::is_integral_v<T>) return {0, 0, 0, 0};
  if (tolerance.output_rounding == 0 && sizeof(U) < sizeof(float)) {
    tolerance.output_rounding = Precision<U>::rounding;
    tolerance.underflow = Precision<U>::underflow;
  }
  return tolerance;
}

/// How a case's inputs are made. For element types that are integers the random values are too.
struct InputPlan {
  bool exact = false;  // the product must come out without any error
  MatmulInputs values = MatmulInputs::random;
  int limit = 0;  // of the integers
};

template <class T, class U>
InputPlan plan_inputs(const MatmulShape& shape, MatmulInputs inputs) {
  const bool random = inputs == MatmulInputs::random || inputs == MatmulInputs::dense_random;
  if (random && std::is_integral_v<T>) return {false, MatmulInputs::small_integers, 100};
  const double input_limit = Precision<T>::exact_integer;
  const int terms = inputs == MatmulInputs::small_integers ? shape.k : 1;
  const double exact = std::min({Precision<U>::exact_integer, 0x1p24, input_limit * input_limit});
  return {!random, inputs, exact_limit(terms, exact)};
}

/// Which terms are in sums that are longer than the shape's: a matrix of ones times the identity
/// says it. Empty if such a product is too large to be made for that, or has other elements.
template <class T, class U>
std::vector<bool> terms_of_sums(const MatmulRun<T, U>& run, const MatmulShape& shape) {
  constexpr int kTimesLonger = 4;
  constexpr std::int64_t kMostProducts = 1 << 22;
  const int k = kTimesLonger * shape.k, n = round_up(k, shape.n);
  if (std::int64_t{shape.m} * n * k > kMostProducts) return {};
  MatmulImages<T, U> images{Guarded<T>(shape.m, k, k, 0), Guarded<T>(k, n, n, 0),
                            Guarded<U>(shape.m, n, n, 0)};
  images.a.fill(from_float<T>(1));
  images.b.fill(from_float<T>(0));
  for (int i = 0; i < k; ++i) images.b.view()(i, i) = from_float<T>(1);
  try {
    run(images.a, images.b, images.c);
  } catch (const std::exception&) {
    return {};
  }
  std::vector<bool> terms;
  for (int i = 0; i < k; ++i) {
    const double sum = to_double(images.c.cview()(0, i));
    if (sum != 0 && sum != 1) return {};
    terms.push_back(sum == 1);
  }
  return terms;
}

/// The pattern of a wrong product. `before` holds the images the function was given.
template <class T, class U>
std::string product_pattern(const Mismatch& mismatch, const MatmulRun<T, U>& run,
                            const MatmulImages<T, U>& before, const MatmulReference& reference,
                            const HostMatrix<double>& bound) {
  if (mismatch.all_bad_are_nan()) {
    if (!adds_to_output(run, before, reference.product, bound)) return "";
    return "the product is added to what C held before (C starts as NaN): set C, or start the sum "
           "at 0";
  }
  const MatmulShape shape{before.a.rows(), before.b.cols(), before.a.cols()};
  return matmul_pattern(mismatch, to_double_matrix(before.a.cview()),
                        to_double_matrix(before.b.cview()),
                        [&] { return terms_of_sums(run, shape); });
}

/// What one-hot inputs of the images' shapes say of the function.
template <class T, class U>
std::string probe_product(const MatmulRun<T, U>& run, const MatmulImages<T, U>& before) {
  const int m = before.c.rows(), n = before.c.cols(), k = before.a.cols();
  Probe probe{{{"A", {m, k}}, {"B", {k, n}}}, {"C", {m, n}}, {}, {}};
  probe.exact = std::min(Precision<T>::exact_integer, Precision<U>::exact_integer);
  const auto matrices = [=](const std::vector<Probe::Values>& inputs) {
    const auto matrix = [&](int rows, int cols, const Probe::Values& values) {
      return make_matrix<double>(rows, cols, [&](int r, int c) {
        return values[static_cast<std::size_t>(r) * static_cast<std::size_t>(cols) +
                      static_cast<std::size_t>(c)];
      });
    };
    return std::pair(matrix(m, k, inputs[0]), matrix(k, n, inputs[1]));
  };
  const auto elements = [](const auto& matrix) {
    Probe::Values values;
    for (int r = 0; r < matrix.rows; ++r) {
      for (int c = 0; c < matrix.cols; ++c) values.push_back(to_double(matrix(r, c)));
    }
    return values;
  };
  probe.reference = [=](const std::vector<Probe::Values>& inputs) {
    const auto [a, b] = matrices(inputs);
    const MatmulReference reference = matmul_reference(a, b);
    return elements(reference.product.cview());
  };
  probe.run = [=, &run](const std::vector<Probe::Values>& inputs) {
    MatmulImages<T, U> images = before;
    const auto [a, b] = matrices(inputs);
    const auto as_input = [](const HostMatrix<double>& values) {
      return make_matrix<T>(values.rows(), values.cols(), [&](int r, int c) {
        return from_float<T>(static_cast<float>(values(r, c)));
      });
    };
    images.a.set(as_input(a));
    images.b.set(as_input(b));
    run(images.a, images.b, images.c);
    return elements(images.c.cview());
  };
  return probe_one_hot(probe);
}

/// What the function left behind: the product within its bound, and nothing else changed.
/// `looks_closer`: what is wrong is looked into, by more calls.
template <class T, class U>
Outcome judge(const MatmulRun<T, U>& run, const MatmulImages<T, U>& before,
              const MatmulImages<T, U>& after, const MatmulTolerance& tolerance,
              const std::string& text, bool looks_closer = true) {
  const MatmulReference reference =
      matmul_reference(to_double_matrix(before.a.cview()), to_double_matrix(before.b.cview()));
  const HostMatrix<double> bound = matmul_bound(reference, tolerance);
  CompareOptions comparison{.name = "C", .shape = text};
  if (looks_closer) {
    comparison.pattern = [&](const Mismatch& mismatch) {
      return product_pattern(mismatch, run, before, reference, bound);
    };
    comparison.probe = [&] { return text_for(run, before, probe_product(run, before)); };
  }
  Outcome outcome = compare(after.c.cview(), reference.product, bound, comparison);
  if (!outcome.ok) return outcome;
  for (std::string change :
       {after.c.change_outside(before.c, "C", false), after.a.change(before.a, "A", false),
        after.b.change(before.b, "B", false)}) {
    if (!change.empty()) return failure("values", change.append(" (").append(text).append(")"));
  }
  return {};
}

/// Runs the function on images that are ready, and judges what it left behind.
template <class T, class U>
Outcome run_and_judge(const MatmulRun<T, U>& run, MatmulImages<T, U> images,
                      const MatmulTolerance& tolerance, const std::string& case_text,
                      bool looks_closer = true) {
  const MatmulImages<T, U> before = images;
  const std::string text = text_for(run, before, case_text);
  const Outcome outcome = outcome_of_call(text, [&] { run(images.a, images.b, images.c); });
  return outcome.ok ? judge(run, before, images, tolerance, text, looks_closer) : outcome;
}

template <class T, class U>
Outcome run_case(const MatmulRun<T, U>& run, const MatmulShape& shape, MatmulInputs inputs,
                 const MatmulTestOptions& options, bool looks_closer = true) {
  const InputPlan plan = plan_inputs<T, U>(shape, inputs);
  if (plan.exact && plan.limit == 0) return {};
  auto images = make_images<T, U>(shape, inputs == MatmulInputs::dense_random, options);
  const auto values = [&](int rows, int cols, int part) {
    return rounded<T>(matmul_input(rows, cols, plan.values, part, plan.limit, options.seed));
  };
  images.a.set(values(shape.m, shape.k, 0));
  images.b.set(values(shape.k, shape.n, 1));
  const std::string text =
      case_text(shape, inputs, images.a.stride(), images.b.stride(), images.c.stride());
  return run_and_judge(run, std::move(images), tolerance_for<T, U>(options.tolerance, plan.exact),
                       text, looks_closer);
}

/// Whether C can be the product of A and B.
template <class T, class U>
bool shapes_fit(const Guarded<T>& a, const Guarded<T>& b, const Guarded<U>& c) {
  return a.cols() == b.rows() && c.rows() == a.rows() && c.cols() == b.cols();
}

/// Shapes that do not fit must be refused before anything runs: C stays as it is.
template <class T, class U>
Outcome refuses_shapes(const MatmulRun<T, U>& run, MatmulImages<T, U> images) {
  auto& [a, b, c] = images;
  const auto shape = [&](char name, const auto& view) {
    return text_of({ShapePart{2,
                              {name == run.transposed ? view.cols : view.rows,
                               name == run.transposed ? view.rows : view.cols}}});
  };
  const std::string text = "A " + shape('A', a.cview()) + ", B " + shape('B', b.cview()) + ", C " +
                           shape('C', c.cview());
  const Guarded<U> before = c;
  const int findings = findings_so_far();
  try {
    run(a, b, c);
  } catch (const std::invalid_argument&) {
    if (c.change(before, "C", false).empty()) return {};
    leave_out_findings_since(findings);
    return failure("values",
                   "shapes that do not fit must throw std::invalid_argument before anything runs, "
                   "but C has changed (" +
                       text + ")");
  } catch (const std::exception& error) {
    leave_out_findings_since(findings);
    return failure(
        "values", "shapes that do not fit must throw std::invalid_argument before anything runs (" +
                      text + "), but: " + error.what());
  }
  leave_out_findings_since(findings);
  return failure(
      "values",
      "shapes that do not fit must throw std::invalid_argument, and nothing was thrown (" + text +
          ")");
}

/// Each of the six sizes one too large and one too small for the others.
template <class T, class U>
Outcome run_wrong_shapes(const MatmulRun<T, U>& run, const MatmulTestOptions& options) {
  const int m = options.m_multiple, n = options.n_multiple, k = options.k_multiple;
  const std::array<int, 6> multiples{m, k, k, n, m, n};  // rows and columns of A, B and C
  const auto image = [&]<class V>(V zero, int rows, int cols) {
    Guarded<V> matrix(rows, cols, round_up(cols, options.stride_multiple), 4096);
    matrix.fill(zero);
    return matrix;
  };
  for (const std::size_t wrong : {2, 3, 0, 1, 4, 5}) {
    for (const int more : {1, -1}) {
      std::array<int, 6> sizes{4 * m, 5 * k, 5 * k, 7 * n, 4 * m, 7 * n};
      sizes.at(wrong) += more * multiples.at(wrong);
      const auto [a_rows, a_cols, b_rows, b_cols, c_rows, c_cols] = sizes;
      Outcome outcome = refuses_shapes<T, U>(
          run, {image(from_float<T>(0), a_rows, a_cols), image(from_float<T>(0), b_rows, b_cols),
                image(from_float<U>(0), c_rows, c_cols)});
      if (!outcome.ok) return outcome;
    }
  }
  return {};
}

}  // namespace detail

/// Every shape, dense and with padding, on random values, on small integers that must come out
/// exactly, and the first shapes on one-hot inputs; inputs and padding must stay as they were. In
/// check mode most shapes have random values only: others use the same memory.
template <class T, class U>
Outcome run_matmul_battery(const MatmulRun<T, U>& run, const MatmulTestOptions& options) {
  constexpr std::array kInputs{MatmulInputs::random, MatmulInputs::dense_random,
                               MatmulInputs::small_integers, MatmulInputs::one_hot_a,
                               MatmulInputs::one_hot_b};
  constexpr std::size_t kRandom = 2, kRandomAndExact = 3;
  constexpr int kFirstShapes = 3;
  const bool checks = simt_check_work != nullptr;
  MatmulTally tally;
  int number = 0;
  for (const MatmulShape& shape : detail::usable_shapes(options)) {
    const bool first = number++ < kFirstShapes;
    std::size_t kinds = first ? kInputs.size() : kRandomAndExact;
    if (checks) kinds = first ? kRandomAndExact : kRandom;
    for (const MatmulInputs inputs : std::span(kInputs).first(kinds)) {
      // One failure is told.
      const bool looks_closer = !tally.has_failed();
      tally.add(shape, detail::run_case<T, U>(run, shape, inputs, options, looks_closer));
      if (tally.stopped()) return tally.result(run.transposed);
    }
  }
  Outcome values = tally.result(run.transposed);
  if (!values.ok || !options.rejects_wrong_shapes) return values;
  return detail::run_wrong_shapes<T, U>(run, options);
}

}  // namespace tut
