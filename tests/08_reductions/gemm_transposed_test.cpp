#include "08_reductions/gemm_transposed.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../07_register_tiling/exercise_case.hpp"
#include "../product_refusals.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/trial/device_case.hpp"

namespace tut::ch08 {
namespace {

using ch07::expect_words;
using ch07::Run;
using ch07::transposed_image;

constexpr int kTile = 128, kLongest = 2201;

/// The product of A and B by the function, which gets both transposed, with alpha 1 and beta 0.
void run(Guarded<float>& a, Guarded<float>& b, Guarded<float>& c, int multiple) {
  Guarded<float> at = transposed_image(a, multiple), bt = transposed_image(b, multiple);
  const Guarded<float> at_before = at, bt_before = bt;
  run_if_fits(
      detail::shapes_fit(a, b, c), {.most_launches = 1},
      [](cudaStream_t stream, MatrixView<const float> from_a, MatrixView<const float> from_b,
         MatrixView<float> to) { gemm_transposed(1.0f, from_a, from_b, 0.0f, to, stream); },
      at, bt, c);
  for (const std::string& change :
       {at.change(at_before, "A", false), bt.change(bt_before, "B", false)}) {
    if (!change.empty()) throw std::runtime_error(change);
  }
}

Run run_with(int multiple) {
  Run result = [multiple](Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
    run(a, b, c, multiple);
  };
  result.retold = [multiple](std::string text, const Guarded<float>& a, const Guarded<float>& b,
                             const Guarded<float>&) {
    text = detail::text_of_transposed('A', transposed_image(a, multiple).stride(), text);
    text = std::regex_replace(text, std::regex(R"(\)\^T \* (\d+)x(\d+))"), ")^T * ($2x$1)^T");
    return detail::text_of_transposed('B', transposed_image(b, multiple).stride(), text);
  };
  return result;
}

const Run run_in_fours = run_with(4);

struct Case {
  MatmulShape shape;
  float alpha, beta;
  int extra = 0;       // elements of padding between rows of A; B has twice as many, C three times
  int limit = 0;       // of small integers, which must come out exactly; 0: random values
  float old_size = 1;  // of the random values of C before
};

void fill(Guarded<float>& image, std::uint64_t seed, int limit) {
  HostMatrix<float> values(image.rows(), image.cols());
  limit > 0 ? fill_small_integers(values, seed, limit) : fill_uniform(values, seed);
  image.set(values);
}

/// A lies as (K, M), B as (N, K).
struct Images {
  Guarded<float> a, b, c;
};

Images make_images(const Case& test) {
  const auto& [m, n, k] = test.shape;
  const std::size_t guard = test.extra > 0 ? 4096 : 0;
  Images images{Guarded<float>(k, m, m + test.extra, guard),
                Guarded<float>(n, k, k + 2 * test.extra, guard),
                Guarded<float>(m, n, n + 3 * test.extra, guard)};
  fill(images.a, 41, test.limit);
  fill(images.b, 42, test.limit);
  if (test.beta == 0) return images;  // C stays NaN
  fill(images.c, 43, test.limit);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) images.c.view()(i, j) *= test.old_size;
  }
  return images;
}

std::string text_of(const Case& test) {
  const auto& [m, n, k] = test.shape;
  return "A " + std::to_string(k) + "x" + std::to_string(m) + ", B " + std::to_string(n) + "x" +
         std::to_string(k) + ", " + std::to_string(test.extra) +
         " elements between rows of A, alpha " + number_text(static_cast<double>(test.alpha)) +
         ", beta " + number_text(static_cast<double>(test.beta));
}

Outcome run_on(Images& images, float alpha, float beta, const std::string& text) {
  return run_on_device(
      {.most_launches = 1}, text,
      [=](cudaStream_t stream, MatrixView<const float> a, MatrixView<const float> b,
          MatrixView<float> c) { gemm_transposed(alpha, a, b, beta, c, stream); },
      images.a, images.b, images.c);
}

HostMatrix<double> transposed(const HostMatrix<double>& matrix) {
  return make_matrix<double>(matrix.cols(), matrix.rows(),
                             [&](int r, int c) { return matrix(c, r); });
}

MatmulReference reference_of(const Images& images) {
  return matmul_reference(transposed(to_double_matrix(images.a.cview())),
                          transposed(to_double_matrix(images.b.cview())));
}

/// What is likely to go wrong with alpha and beta, as formulas.
std::vector<Formula> mistakes_of(const Case& test, const MatmulReference& reference,
                                 const HostMatrix<double>& old) {
  const double alpha = test.alpha, beta = test.beta;
  const auto product = [&](int r, int c) { return reference.product(r, c); };
  return {{"made without alpha: C = alpha A^T B^T + beta C",
           [=, &old](int r, int c) { return product(r, c) + beta * old(r, c); }},
          {"made without beta: C = alpha A^T B^T + beta C",
           [=, &old](int r, int c) { return alpha * product(r, c) + old(r, c); }},
          {"made without the old C: C = alpha A^T B^T + beta C",
           [=](int r, int c) { return alpha * product(r, c); }},
          {"made with alpha and beta exchanged",
           [=, &old](int r, int c) { return beta * product(r, c) + alpha * old(r, c); }},
          {"made with alpha times the old C, too: C = alpha A^T B^T + beta C",
           [=, &old](int r, int c) { return alpha * (product(r, c) + beta * old(r, c)); }}};
}

Outcome outcome_of(const Case& test) {
  const auto& [m, n, k] = test.shape;
  Images images = make_images(test);
  const Images before = images;
  const std::string text = text_of(test);
  if (Outcome outcome = run_on(images, test.alpha, test.beta, text); !outcome.ok) return outcome;

  const MatmulReference reference = reference_of(before);
  const HostMatrix<double> product_bound = matmul_bound(reference, {});
  const HostMatrix<double> held = to_double_matrix(before.c.cview());
  const auto old = [&](int r, int c) { return test.beta == 0 ? 0.0 : test.beta * held(r, c); };
  const auto expected = make_matrix<double>(
      m, n, [&](int r, int c) { return test.alpha * reference.product(r, c) + old(r, c); });
  const auto bound = make_matrix<double>(m, n, [&](int r, int c) {
    if (test.limit > 0) return 0.0;
    const double scaled = std::abs(static_cast<double>(test.alpha));
    return scaled * (product_bound(r, c) + 0x1p-23 * reference.magnitude(r, c)) +
           0x1p-23 * std::abs(old(r, c));
  });
  const auto pattern = [&](const Mismatch& mismatch) {
    return test.alpha == test.beta || test.beta == 0
               ? std::string()
               : formula_pattern(mismatch, mistakes_of(test, reference, held));
  };
  return first_failure(
      {compare(images.c.cview(), expected, bound, {.name = "C", .shape = text, .pattern = pattern}),
       only_inside_changed(before.c, images.c, "C", text),
       nothing_changed(before.a, images.a, "A", text),
       nothing_changed(before.b, images.b, "B", text)});
}

/// Infinities and NaN in all three matrices, all other elements exact.
Outcome special_outcome(int m, int extra, float beta) {
  constexpr float INF = std::numeric_limits<float>::infinity();
  const float alpha = -2.0f;
  const Case test{{m, 64, 32}, alpha, beta, extra, 3};
  Images images = make_images(test);
  if (beta == 0) fill(images.c, 44, 3);
  images.a.view()(17, 20) = INF;
  images.b.view()(40, 3) = std::nanf("");
  int place = 0;
  for (const float special : {INF, -INF, std::nanf(""), 1e30f, -0.0f}) {
    images.c.view()(place, 3 * place) = images.c.view()(m - 1 - place, 63) = special;
    images.c.view()(20, place++) = special;
  }
  const HostMatrix<double> product = reference_of(images).product,
                           held = to_double_matrix(images.c.cview());
  const auto expected = make_matrix<double>(m, 64, [&](int r, int c) {
    return static_cast<double>(alpha) * product(r, c) +
           (beta == 0 ? 0.0 : static_cast<double>(beta) * held(r, c));
  });
  const auto bound =
      make_matrix<double>(m, 64, [&](int r, int c) { return 0x1p-23 * std::abs(expected(r, c)); });
  const std::string text = text_of(test) + ", infinities and NaN in A, B and C";
  Outcome outcome = run_on(images, alpha, beta, text);
  return outcome.ok ? compare(images.c.cview(), expected, bound,
                              {.name = "C", .shape = text, .pattern = {}})
                    : outcome;
}

/// Rows of one of the matrices lie so far apart that offsets are beyond 32 bits: a few rows, more
/// than two tiles of them, or whole tiles.
Outcome far_outcome(char far, std::int64_t far_stride) {
  const bool whole = far_stride == kFarWholeStride;
  const int few = whole ? 128 : 5, many = whole                          ? 384
                                          : far_stride == kFarTileStride ? kFarRows
                                                                         : few;
  const int m = far == 'C' ? many : few,
            n = far == 'B' ? many
                : whole    ? 128
                           : 6,
            k = far == 'A' ? many
                : whole    ? 64
                           : 7;
  const auto stride = [=](char name, int cols) { return name == far ? far_stride : cols; };
  SparseMatrix<float> a(k, m, stride('A', m)), b(n, k, stride('B', k)), c(m, n, stride('C', n));
  if (!a.is_there() || !b.is_there() || !c.is_there()) return {};
  HostMatrix<float> host_a(k, m), host_b(n, k), host_c(m, n);
  fill_small_integers(host_a, 45, 4);
  fill_small_integers(host_b, 46, 4);
  fill_small_integers(host_c, 47, 4);
  a.upload(host_a);
  b.upload(host_b);
  c.upload(host_c);
  const std::string text = std::string("rows of ") + far + " are " + far_text(stride(far, 0));
  Outcome run = run_far(text, [&](cudaStream_t stream) {
    gemm_transposed(2.0f, a.cview(), b.cview(), -3.0f, c.view(), stream);
  });
  if (!run.ok) return run;
  const MatmulReference reference = matmul_reference(transposed(to_double_matrix(host_a.cview())),
                                                     transposed(to_double_matrix(host_b.cview())));
  const auto expected = make_matrix<double>(
      m, n, [&](int r, int col) { return 2 * reference.product(r, col) - 3.0 * host_c(r, col); });
  const auto exact = make_matrix<double>(m, n, [](int, int) { return 0.0; });
  return compare(c.download().cview(), expected, exact,
                 {.name = "C", .shape = text, .stride = c.cview().stride, .pattern = {}});
}

}  // namespace

TEST_CASE("gemm_transposed with alpha 1 and beta 0 computes the product of A and B transposed") {
  MatmulTestOptions options{.shapes = matmul_shapes(64, 128, 16)};
  options.rejects_wrong_shapes = false;  // as they lie, both are others: see below
  expect(run_matmul_battery<float, float>(run_with(1), options));
  options.shapes = {{128, 128, 16}, {129, 127, 33}};
  options.stride_multiple = 4;
  expect(run_matmul_battery<float, float>(run_in_fours, options));
}

TEST_CASE("gemm_transposed computes alpha A^T B^T + beta C") {
  for (const MatmulShape& shape :
       {MatmulShape{128, 128, 16}, {129, 127, 17}, {1, 1, 1}, {5, 131, 71}, {64, 1, 33}}) {
    for (const int extra : {0, 5}) {
      for (const auto& [alpha, beta] : {std::pair{0.0f, 1.0f}, {0.75f, -1.5f}, {-2.0f, 0.0f}}) {
        expect(outcome_of({shape, alpha, beta, extra}));
      }
      expect(outcome_of({shape, 2.0f, -3.0f, extra, 4}));
    }
  }
}

TEST_CASE("gemm_transposed with factors of any size") {
  // A beta of -0 is 0, one of 1e-30 is not.
  for (const auto& [alpha, beta] :
       {std::pair{1e-6f, 0.0f}, {70000.0f, 1e-6f}, {0.0f, 1e-30f}, {1.0f, -0.0f}}) {
    expect(outcome_of({{33, 16, 20}, alpha, beta, 5}));
  }
  // Beside a large element of C products are not added one by one: it is added to their sum.
  expect(outcome_of({{33, 16, 512}, 1.0f, 1.0f, 0, 0, 0x1p20f}));
}

TEST_CASE("gemm_transposed of infinities and NaN in any of the three") {
  for (const float beta : {0.5f, 0.0f}) {
    for (const int m : {128, 47}) {
      for (const int extra : {0, 5}) expect(special_outcome(m, extra, beta));
    }
  }
}

TEST_CASE("gemm_transposed of odd places, long shapes, infinities and NaN") {
  expect(ch07::shifted_images_outcome(run_in_fours));
  for (const MatmulShape& shape : {MatmulShape{3, 5, 1040}, {kLongest, 3, 2}, {3, kLongest, 2}}) {
    expect(detail::run_case(run_in_fours, shape, MatmulInputs::dense_random, {}));
  }
  expect(ch07::unusual_outcome(run_in_fours));
  expect(ch07::zeros_outcome(run_in_fours));
}

TEST_CASE("gemm_transposed of rows that lie far apart") {
  for (const std::int64_t far_stride : {kFarStride, kFarTileStride, kFarWholeStride}) {
    for (const char far : {'A', 'B', 'C'}) expect(far_outcome(far, far_stride));
  }
}

TEST_CASE("gemm_transposed reaches all of a large C") {
  // What is in A and B does not matter: they are as large as their transposes.
  const auto of_transposed = [](MatrixView<const float> a, MatrixView<const float> b,
                                MatrixView<float> c, cudaStream_t stream) {
    gemm_transposed(1.0f, {a.data, a.cols, a.rows, a.rows}, {b.data, b.cols, b.rows, b.rows}, 0.0f,
                    c, stream);
  };
  expect(matmul_reach_outcome(of_transposed, kLongest, [](const MatmulShape& shape) {
    return detail::run_case(run_in_fours, shape, MatmulInputs::dense_random, {});
  }));
  expect(many_tiles_outcome(of_transposed));
}

TEST_CASE("gemm_transposed refuses shapes that do not fit") {
  for (const float beta : {0.0f, 1.0f}) {
    expect(product_refusals_outcome<float, float>(
        [=](auto a, auto b, auto c) { gemm_transposed(1.0f, a, b, beta, c); }, true, true));
  }
}

TEST_CASE("budget") {
  constexpr MatmulShape SHAPE{128, 256, 64};
  constexpr ch07::WordsOfProducts EIGHT_BY_EIGHT{0, 0.3};
  // First how far it is from a register tile, which says more than the bytes.
  expect_words({256, 256, 48}, EIGHT_BY_EIGHT, [] {
    return longer_rows_outcome(run_in_fours, {256, 256, 48}, {});
  });
  expect_product_budget(
      "gemm_transposed", SHAPE, [](const MatmulShape& s) { return s.m * s.n * (s.k / 16.0 + 4); },
      kTile, run_in_fours);
  // With beta C is read once.
  const auto [m, n, k] = SHAPE;
  for (const int extra : {0, kLongerRows}) {
    expect_budget("gemm_transposed", m * n * (k / 16.0 + 8), [=] {
      return outcome_of({SHAPE, 2.0f, 0.5f, extra});
    });
  }
}

}  // namespace tut::ch08
