#include "09_wmma/gemm_wmma.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "../matmul_budget.hpp"
#include "../product_refusals.hpp"
#include "../tensor_products.hpp"
#include "tensor_core_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/compare/case_summary.hpp"
#include "tut/trial/device_case.hpp"

namespace tut::ch09 {
namespace {

struct Case {
  MatmulShape shape;
  float alpha, beta;
  // Elements of padding between rows of A; B has twice as many, C three times. Multiples of 8 leave
  // fragments in place.
  int extra;
  int limit;           // of small integers, which must come out exactly; 0: random values
  float old_size = 1;  // of the random values of C before
};

// With alpha 1 and beta 0 it is a matmul.
void product(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
             cudaStream_t stream) {
  gemm_wmma(1.0f, a, b, 0.0f, c, stream);
}

template <class T>
void fill(Guarded<T>& image, std::uint64_t seed, int limit) {
  HostMatrix<T> values(image.rows(), image.cols());
  limit > 0 ? fill_small_integers(values, seed, limit) : fill_uniform(values, seed);
  image.set(values);
}

std::string text_of(const Case& test) {
  return shape_text(test.shape) + ", " + std::to_string(test.extra) +
         " elements between rows of A, alpha " + number_text(static_cast<double>(test.alpha)) +
         ", beta " + number_text(static_cast<double>(test.beta));
}

Outcome outcome_of(const Case& test) {
  const auto& [m, n, k] = test.shape;
  const std::size_t guard = test.extra > 0 ? 4096 : 0;
  Guarded<__half> a(m, k, k + test.extra, guard), b(k, n, n + 2 * test.extra, guard);
  Guarded<float> c(m, n, n + 3 * test.extra, guard);
  fill(a, 31, test.limit);
  fill(b, 32, test.limit);
  if (test.beta != 0) {  // else it stays NaN
    fill(c, 33, test.limit);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) c.view()(i, j) *= test.old_size;
    }
  }
  const auto a_before = a, b_before = b;
  const auto c_before = c;
  const std::string text = text_of(test);
  Outcome run = run_on_device(
      {.most_launches = 1}, text,
      [&](cudaStream_t stream, MatrixView<const __half> da, MatrixView<const __half> db,
          MatrixView<float> dc) { gemm_wmma(test.alpha, da, db, test.beta, dc, stream); },
      a, b, c);
  if (!run.ok) return run;

  const MatmulReference reference =
      matmul_reference(to_double_matrix(a_before.cview()), to_double_matrix(b_before.cview()));
  const HostMatrix<double> product_bound = matmul_bound(reference, tensor_core_tolerance);
  const auto old = [&](int r, int col) {
    return test.beta == 0 ? 0.0 : test.beta * static_cast<double>(c_before.cview()(r, col));
  };
  const auto expected = make_matrix<double>(
      m, n, [&](int r, int col) { return test.alpha * reference.product(r, col) + old(r, col); });
  const auto bound = make_matrix<double>(m, n, [&](int r, int col) {
    if (test.limit > 0) return 0.0;
    const double scaled = std::abs(static_cast<double>(test.alpha));
    return scaled * product_bound(r, col) +
           0x1p-23 * (scaled * reference.magnitude(r, col) + std::abs(old(r, col)));
  });
  return first_failure(
      {compare(c.cview(), expected, bound, {.name = "C", .shape = text, .pattern = {}}),
       only_inside_changed(c_before, c, "C", text), nothing_changed(a_before, a, "A", text),
       nothing_changed(b_before, b, "B", text)});
}

constexpr float INF = std::numeric_limits<float>::infinity(),
                NOT = std::numeric_limits<float>::quiet_NaN();

// Infinities and NaN in all three matrices, to be exact everywhere else.
Outcome special_outcome(int m, int extra, float alpha = -2, float beta = 0.5f) {
  constexpr int N = 64, K = 32;
  Guarded<__half> a(m, K, K + extra, 4096), b(K, N, N + 2 * extra, 4096);
  Guarded<float> c(m, N, N + 3 * extra, 4096);
  fill(a, 34, 3);
  fill(b, 35, 3);
  fill(c, 36, 3);
  a.view()(20, 17) = __float2half(INF);
  b.view()(3, 40) = __float2half(NOT);
  int place = 0;
  for (const float special : {INF, -INF, NOT, 1e30f, -0.0f}) {
    c.view()(place, 3 * place) = c.view()(m - 1 - place, N - 1) = special;
    c.view()(20, place++) = special;
  }
  const HostMatrix<double> product =
      matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview())).product;
  const auto before = to_double_matrix(c.cview());
  const auto expected = make_matrix<double>(m, N, [&](int r, int col) {
    const double old = beta == 0 ? 0.0 : static_cast<double>(beta) * before(r, col);
    return static_cast<double>(alpha) * product(r, col) + old;
  });
  const auto bound = make_matrix<double>(
      m, N, [&](int r, int col) { return 0x1p-23 * std::abs(expected(r, col)); });
  const std::string text =
      std::to_string(m) + " rows with infinities and NaN in A, B and C, alpha " +
      number_text(static_cast<double>(alpha)) + ", beta " + number_text(static_cast<double>(beta)) +
      ", " + std::to_string(extra) + " elements between rows of A";
  Outcome run = run_on_device(
      {.most_launches = 1}, text,
      [&](cudaStream_t stream, MatrixView<const __half> da, MatrixView<const __half> db,
          MatrixView<float> dc) { gemm_wmma(alpha, da, db, beta, dc, stream); },
      a, b, c);
  return run.ok ? compare(c.cview(), expected, bound, {.name = "C", .shape = text, .pattern = {}})
                : run;
}

Outcome far_outcome() {
  HostMatrix<__half> a(5, 4), b(4, 6);
  fill_small_integers(a, 37, 4);
  fill_small_integers(b, 38, 4);
  const HostMatrix<double> product =
      matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview())).product;
  const auto expected =
      make_matrix<double>(5, 6, [&](int r, int c) { return 2 * product(r, c) - 3 * 7.0; });
  const auto call = [](cudaStream_t stream, MatrixView<const __half> from_a,
                       MatrixView<const __half> from_b,
                       MatrixView<float> to) { gemm_wmma(2, from_a, from_b, -3, to, stream); };
  Outcome outcome = far_rows_of<float>(a, b, expected, call, 7.0f);
  if (!outcome.ok) return outcome;
  return far_tiles_of<float, __half>(
      SecondFactor::as_it_is, [](double element) { return 2 * element - 3 * 7.0; }, call, 7.0f);
}

}  // namespace

TEST_CASE("gemm_wmma computes C = alpha AB + beta C") {
  for (const MatmulShape& shape : matmul_shapes(16)) {
    for (const int extra : {0, 8, 5}) {
      // First C alone: what stands in a wrong place shows.
      for (const auto& [alpha, beta] :
           {std::pair{0.0f, 1.0f}, {0.0f, 0.0f}, {0.75f, -1.5f}, {-2.0f, 0.0f}, {1.0f, 1.0f}}) {
        expect(outcome_of({shape, alpha, beta, extra, 0}));
      }
      expect(outcome_of({shape, 2.0f, -3.0f, extra, 4}));
    }
  }
}

TEST_CASE("gemm_wmma adds infinities and NaN of C, each to its own element") {
  for (const int m : {48, 47}) {
    for (const int extra : {0, 8, 5}) expect(special_outcome(m, extra));
  }
}

TEST_CASE("gemm_wmma by factors that are infinite, or no number") {
  for (const auto& [alpha, beta] :
       {std::pair{INF, 1.0f}, {NOT, 1.0f}, {1.0f, -INF}, {1.0f, NOT}, {-INF, 0.0f}}) {
    for (const int m : {48, 47}) expect(special_outcome(m, 0, alpha, beta));
  }
}

TEST_CASE("gemm_wmma reads and writes rows of C that are far apart") { expect(far_outcome()); }

TEST_CASE("gemm_wmma of long shapes") {
  for (const MatmulShape& shape : {MatmulShape{3, 5, 2100}, {3, 2100, 5}, {2100, 3, 5}}) {
    expect(outcome_of({shape, 0.75f, -1.5f, 0, 0}));
  }
}

TEST_CASE("gemm_wmma scales in FP32, by factors of any size") {
  // Half holds neither 1e-6 nor 70000; a beta of -0 is 0, one of 1e-30 is not.
  for (const auto& [alpha, beta] : {std::pair{1e-6f, 0.0f},
                                    {70000.0f, 0.0f},
                                    {0.0f, 1e-6f},
                                    {0.0f, 70000.0f},
                                    {0.0f, 1e-30f},
                                    {1e-30f, 1e-30f},
                                    {1.0f, -0.0f}}) {
    for (const int extra : {0, 5}) expect(outcome_of({{33, 16, 20}, alpha, beta, extra, 0}));
  }
  // What C holds may be as large as it likes: nothing larger comes up on the way.
  for (const int extra : {0, 5}) {
    expect(outcome_of({{33, 16, 20}, 1e-3f, 1.0f, extra, 0, 3e38f}));
  }
  // Beside a large element of C products are not added one by one: it is added to their sum.
  for (const float alpha : {1.0f, 2.0f}) {
    expect(outcome_of({{33, 16, 2048}, alpha, 1.0f, 0, 0, 0x1p20f}));
  }
}

TEST_CASE("gemm_wmma with alpha 1 and beta 0 is a matmul") {
  test_tensor_matmul<__half>("gemm_wmma", product, {{17, 15, 33}});
  expect(special_values_outcome(device_run<__half>(product)));
}

TEST_CASE("gemm_wmma of as many rows, columns and elements as there may be") {
  expect(tensor_reach_outcome<__half, float>(
      [](cudaStream_t stream, int m, int n, const __half* a, const __half* b, float* c) {
        gemm_wmma(2.0f, {a, m, 1, 1}, {b, 1, n, n}, 0.5f, {c, m, n, n}, stream);
      },
      [](const MatmulShape& shape) {
        return outcome_of({shape, 2.0f, 0.5f, 0, 0});
      }));
}

TEST_CASE("gemm_wmma refuses shapes that do not fit, whatever the factors") {
  for (const float alpha : {1.0f, 0.0f}) {
    for (const float beta : {0.0f, 1.0f, 2.0f}) {
      expect(product_refusals_outcome<__half, float>(
          [=](auto a, auto b, auto c) { gemm_wmma(alpha, a, b, beta, c); }));
    }
  }
}

TEST_CASE("budget") {
  constexpr int M = 128, N = 128, K = 64;  // which tiles of 128 divide
  expect_budget("gemm_wmma", M * N * K / 2.0 + 8.0 * M * N, [] {
    return outcome_of({{M, N, K}, 2.0f, 0.5f, 0, 0});
  });
  // With beta = 0 nothing of C is read. As many products, and more of C.
  constexpr int WIDE_M = 256, WIDE_N = 128, FLAT_K = 32;
  expect_budget("gemm_wmma", WIDE_M * WIDE_N * FLAT_K / 2.0 + 4.0 * WIDE_M * WIDE_N, [] {
    return outcome_of({{WIDE_M, WIDE_N, FLAT_K}, 2.0f, 0.0f, 0, 0});
  });
  for (const MatmulShape& s : shapes_of_one_tile({M, N, K}, 64)) {
    expect_cost(s.m * s.n * (s.k / 2.0 + 8.0), [=] { return outcome_of({s, 2.0f, 0.5f, 0, 0}); });
  }
  for (const auto& [m, n, k] : ragged_shapes()) {
    expect_tensor_products(fragment_products(m, n, k), [m = m, n = n, k = k] {
      return outcome_of({{m, n, k}, 2.0f, 0.5f, 0, 0});
    });
  }
}

}  // namespace tut::ch09
