#include "01_naive_matmul/gemm.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "extreme_matrices.hpp"
#include "tut/host_matmul_test.hpp"

namespace tut::ch01 {
namespace {

// C holds random values up to `old_size` before, or nothing but NaN if beta = 0.
Outcome gemm_outcome(float alpha, float beta, const MatmulShape& shape, float old_size = 1) {
  HostMatrix<float> a(shape.m, shape.k, shape.k + 1), b(shape.k, shape.n, shape.n + 2);
  Guarded<float> c(shape.m, shape.n, shape.n + 3, 64);
  fill_uniform(a, 11);
  fill_uniform(b, 12);
  HostMatrix<float> old(shape.m, shape.n);
  fill_uniform(old.span(), 13, -old_size, old_size);
  if (beta != 0.0f) c.set(old);
  const Guarded<float> before = c;

  const PageEndMatrix<float> a_at_end(a.cview()), b_at_end(b.cview());
  gemm(alpha, a_at_end.cview(), b_at_end.cview(), beta, c.view());

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
  });
  if (!inside.ok) return inside;
  const std::string outside = c.change_outside(before, "C", false);
  return outside.empty() ? Outcome{} : failure("values", outside + " (" + text + ")");
}

void product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  gemm(1, a, b, 0, c);
}

}  // namespace

TEST_CASE("gemm with alpha = 1 and beta = 0 computes C = A B, whatever C held") {
  expect(matmul_outcome<float, float>(product, {.shapes = matmul_shapes(16)}));
}

TEST_CASE("gemm computes alpha A B + beta C") {
  for (const MatmulShape& shape : {MatmulShape{1, 1, 1},
                                   {17, 13, 19},
                                   {40, 33, 7},
                                   {3, 50, 128},
                                   {5, 6, 1100},
                                   {5, 1100, 6},
                                   {1100, 6, 5}}) {
    for (const float beta : {0.0f, 1.0f, -0.75f}) {
      expect(gemm_outcome(-2.5f, beta, shape));
      expect(gemm_outcome(0.0f, beta, shape));
    }
  }
}

TEST_CASE("gemm with factors and values that are large, small or infinite") {
  const MatmulShape shape{17, 33, 19};
  expect(gemm_outcome(70000.0f, 1e-6f, shape));
  expect(gemm_outcome(1e-6f, 70000.0f, shape));
  expect(gemm_outcome(1.0f, 1e-30f, shape, 1e30f));
  expect(gemm_outcome(1e-30f, -0.5f, shape, 1e-30f));
  expect(gemm_outcome(1.0f, -0.0f, shape));
  expect(special_values_outcome(product));
}

TEST_CASE("gemm with one long side, and with rows that lie far apart") {
  expect(long_shapes_outcome(product));
  expect(far_rows_outcome(product));
}

}  // namespace tut::ch01
