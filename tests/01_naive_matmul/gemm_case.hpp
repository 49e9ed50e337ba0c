// alpha A B + beta C, of any function that promises it.
#pragma once

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "extreme_matrices.hpp"
#include "tut/testing/host_matmul_test.hpp"
#include "tut/trial/spoil_stack.hpp"

namespace tut::ch01 {

using Gemm = void(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                  MatrixView<float> c);

// C holds random values up to `old_size` before, or nothing but NaN if beta = 0.
inline Outcome gemm_outcome(Gemm* function, float alpha, float beta, const MatmulShape& shape,
                            float old_size = 1) {
  HostMatrix<float> a(shape.m, shape.k, shape.k + 1), b(shape.k, shape.n, shape.n + 2);
  Guarded<float> c(shape.m, shape.n, shape.n + 3, 64);
  fill_uniform(a, 11);
  fill_uniform(b, 12);
  HostMatrix<float> old(shape.m, shape.n);
  fill_uniform(old.span(), 13, -old_size, old_size);
  if (beta != 0.0f) {
    c.set(old);
    c.surround(2.0f);  // a factor would leave NaN there alone
  }
  const Guarded<float> before = c;

  const PageEndMatrix<float> a_at_end(a.cview()), b_at_end(b.cview());
  const PageEndRows<float> c_at_ends(c.cview());
  spoil_stack();
  function(alpha, a_at_end.cview(), b_at_end.cview(), beta, c.view());
  function(alpha, a_at_end.cview(), b_at_end.cview(), beta, c_at_ends.view());

  const auto reference = matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview()));
  const auto product_bound = matmul_bound(reference, {});
  const auto expected = make_matrix<double>(shape.m, shape.n, [&](int i, int j) {
    return double{alpha} * reference.product(i, j) + double{beta} * old(i, j);
  });
  const auto bound = make_matrix<double>(shape.m, shape.n, [&](int i, int j) {
    return std::abs(alpha) * (product_bound(i, j) + 0x1p-23 * reference.magnitude(i, j)) +
           0x1p-23 * std::abs(double{beta} * old(i, j)) + 0x1p-23 * std::abs(expected(i, j));
  });
  char text[120];
  std::snprintf(text, sizeof(text), "%s, alpha %g, beta %g, C up to %g before",
                shape_text(shape).c_str(), alpha, beta, old_size);
  Outcome values = compare(c.cview(), expected, bound, {.name = "C", .shape = text, .pattern = {}});
  if (!values.ok) return values;
  const std::string outside = c.change_outside(before, "C", false);
  if (!outside.empty()) return failure("values", outside + " (" + text + ")");
  return outcome_of_call(text, [&] {
    a_at_end.refuse_use_past_end("A");
    b_at_end.refuse_use_past_end("B");
    c_at_ends.refuse_use_past_end("C");
  });
}

// Factors and old elements of C of very different sizes: a quotient of the factors, or of C and one
// of them, may be too large or too small for a float where the result is not.
inline Outcome gemm_factors_outcome(Gemm* function) {
  for (const float alpha : {1e-30f, 1e-15f, 1.0f, -1e15f, 1e30f}) {
    for (const float beta : {1e-40f, -1e-30f, 1e-15f, 1.0f, 1e15f, 1e30f}) {
      for (const float old_size : {1e-30f, 1.0f, 1e30f}) {
        if (std::abs(beta) * old_size > 1e36f) continue;
        Outcome outcome = gemm_outcome(function, alpha, beta, {7, 9, 11}, old_size);
        if (!outcome.ok) return outcome;
      }
    }
  }
  return {};
}

// Rows far apart of a C that is read, too.
inline Outcome gemm_far_rows_outcome(Gemm* function) {
  return far_rows_outcome([=](auto a, auto b, auto c) {
    const auto each = [&](auto change) {
      for (int i = 0; i < c.rows; ++i) {
        for (int j = 0; j < c.cols; ++j) change(c(i, j));
      }
    };
    each([](float& element) { element = 8; });
    function(1, a, b, -0.75f, c);
    each([](float& element) { element += 6; });  // A B is left, exactly
  });
}

// Infinities, NaN and zeros in A, B and C, with factors.
inline Outcome gemm_special_outcome(Gemm* function) {
  const auto [a, b] = special_matrices();
  HostMatrix<float> old(a.rows(), b.cols());
  fill_small_integers(old, 3, 9);
  old(0, 0) = old(2, 0) = std::numeric_limits<float>::infinity();
  old(1, 1) = -std::numeric_limits<float>::infinity();
  old(2, 2) = std::numeric_limits<float>::quiet_NaN();
  old(4, 5) = 1e30f;
  const MatmulReference reference =
      matmul_reference(to_double_matrix(a.cview()), to_double_matrix(b.cview()));
  for (const float alpha : {1.0f, -2.5f}) {
    for (const float beta : {0.0f, 1.0f, -0.75f}) {
      HostMatrix<float> c = old;
      function(alpha, a.cview(), b.cview(), beta, c.view());
      const auto kept = [&](int i, int j) { return beta == 0 ? 0.0 : double{beta} * old(i, j); };
      const auto expected = make_matrix<double>(c.rows(), c.cols(), [&](int i, int j) {
        return double{alpha} * reference.product(i, j) + kept(i, j);
      });
      const auto bound = make_matrix<double>(c.rows(), c.cols(), [&](int i, int j) {
        return 1e-6 * (std::abs(double{alpha}) * reference.magnitude(i, j) + std::abs(kept(i, j)));
      });
      char text[120];
      std::snprintf(text, sizeof text, "alpha %g, beta %g, A, B and C with infinities and NaN",
                    alpha, beta);
      Outcome outcome = compare(c.cview(), expected, bound, {.name = "C", .shape = text});
      if (!outcome.ok) return outcome;
    }
  }
  return {};
}

// What does not fit is refused whatever the factors are: also by those that leave nothing to do.
inline Outcome gemm_refusals_outcome(Gemm* function) {
  for (const float alpha : {1.0f, 0.0f}) {
    for (const float beta : {0.0f, 1.0f, 2.0f}) {
      const auto product = [=](auto a, auto b, auto c) { function(alpha, a, b, beta, c); };
      const MatmulRun<float, float> run = [&](auto& a, auto& b, auto& c) {
        product(a.cview(), b.cview(), c.view());
      };
      Outcome outcome = detail::run_wrong_shapes<float, float>(run, {});
      if (outcome.ok) outcome = empty_matrices_outcome(product);
      if (outcome.ok) outcome = short_strides_outcome(product);
      if (outcome.ok) continue;
      return failure(outcome.kind, "with alpha = " + value_text(alpha) +
                                       " and beta = " + value_text(beta) + ", " +
                                       outcome.report.substr(0, outcome.report.rfind("\nkind: ")));
    }
  }
  return {};
}

// Everything that a gemm's factors and old C may be.
inline void expect_gemm_extremes(Gemm* function) {
  expect(gemm_factors_outcome(function));
  expect(gemm_special_outcome(function));
  for (const MatmulShape& shape : {MatmulShape{2, 3, 16411}, {2, 16411, 3}, {16411, 2, 3}}) {
    expect(gemm_outcome(function, -2.5f, -0.75f, shape));
  }
}

}  // namespace tut::ch01
