// alpha A B + beta C, of any function that promises it.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

#include "tut/host_matmul_test.hpp"

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
  if (beta != 0.0f) c.set(old);
  const Guarded<float> before = c;

  const PageEndMatrix<float> a_at_end(a.cview()), b_at_end(b.cview());
  const PageEndMatrix<float> c_at_end(c.cview());
  function(alpha, a_at_end.cview(), b_at_end.cview(), beta, c.view());
  function(alpha, a_at_end.cview(), b_at_end.cview(), beta, c_at_end.view());

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
  const Outcome inside = outcome_of_call(text, [&] {
    a_at_end.refuse_use_past_end("A");
    b_at_end.refuse_use_past_end("B");
    c_at_end.refuse_use_past_end("C");
  });
  if (!inside.ok) return inside;
  const std::string outside = c.change_outside(before, "C", false);
  return outside.empty() ? Outcome{} : failure("values", outside + " (" + text + ")");
}

// Factors and values of C that are large or small, none of which may overflow or vanish on the way.
inline Outcome gemm_factors_outcome(Gemm* function, const MatmulShape& shape) {
  struct Factors {
    float alpha, beta, old_size;
  };
  for (const auto& [alpha, beta, old_size] : {Factors{70000.0f, 1e-6f, 1},
                                              {1e-6f, 70000.0f, 1},
                                              {1.0f, 1e-30f, 1e30f},
                                              {1e-30f, -0.5f, 1e-30f},
                                              {1e-3f, 1.0f, 3e38f},
                                              {1.0f, -0.0f, 1}}) {
    const Outcome outcome = gemm_outcome(function, alpha, beta, shape, old_size);
    if (!outcome.ok) return outcome;
  }
  return {};
}

}  // namespace tut::ch01
