#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "../matmul_reach.hpp"
#include "transposed_image.hpp"
#include "tut/budget.hpp"
#include "tut/far_case.hpp"
#include "tut/matmul_corners.hpp"
#include "tut/matmul_test.hpp"

namespace tut::ch04 {
namespace {

void run_transposed_a(Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
  Guarded<float> at = transposed_image(a);
  const Guarded<float> at_before = at;
  run_on_images(
      {.most_launches = 1},
      [](cudaStream_t stream, MatrixView<const float> view_at, MatrixView<const float> view_b,
         MatrixView<float> view_c) { matmul_transposed_a(view_at, view_b, view_c, stream); },
      at, b, c);
  if (const std::string change = at.change(at_before, "A", false); !change.empty()) {
    throw std::runtime_error(change);
  }
}

// Rows of one of the matrices lie 2^30 elements apart: offsets are beyond 32 bits.
Outcome far_outcome(char far) {
  constexpr int M = 5, N = 40, K = 5;
  HostMatrix<float> host_a(K, M), host_b(K, N);
  fill_uniform(host_a, 31);
  fill_uniform(host_b, 32);
  SparseMatrix<float> a(K, M, far == 'A' ? kFarStride : M), b(K, N, far == 'B' ? kFarStride : N),
      c(M, N, far == 'C' ? kFarStride : N);
  if (!a.is_there() || !b.is_there() || !c.is_there()) return {};
  a.upload(host_a);
  b.upload(host_b);
  c.upload(HostMatrix<float>(M, N));
  const std::string text = std::string("rows of ") + far + " are 2^30 elements apart";
  Outcome run = run_far(text, [&](cudaStream_t stream) {
    matmul_transposed_a(a.cview(), b.cview(), c.view(), stream);
  });
  if (!run.ok) return run;
  const MatmulReference reference =
      matmul_reference(make_matrix<double>(M, K, [&](int r, int k) { return host_a(k, r); }),
                       to_double_matrix(host_b.cview()));
  return compare(c.download().cview(), reference.product, matmul_bound(reference, {}),
                 {.name = "C", .shape = text, .pattern = {}});
}

}  // namespace

TEST_CASE("matmul_transposed_a computes the product of A transposed and B") {
  MatmulTestOptions options;
  options.shapes = matmul_shapes(32);
  expect(run_matmul_battery<float, float>(run_transposed_a, options));
}

TEST_CASE("matmul_transposed_a takes long matrices, at any address, and what is no number") {
  expect(matmul_corners_outcome(run_transposed_a,
                                {.long_shapes = {{1, 70000, 2}, {70000, 1, 2}, {2, 3, 5000}}}));
}

TEST_CASE("matmul_transposed_a takes rows that are far apart") {
  for (const char far : {'A', 'B', 'C'}) expect(far_outcome(far));
}

TEST_CASE("matmul_transposed_a reaches all of a large C") {
  // A column of A transposed is a row.
  const auto of_column = [](MatrixView<const float> a, MatrixView<const float> b,
                            MatrixView<float> c, cudaStream_t stream) {
    matmul_transposed_a({a.data, 1, a.rows, a.rows}, b, c, stream);
  };
  const auto values = [](const MatmulShape& shape) {
    return detail::run_case<float, float>(run_transposed_a, shape, MatmulInputs::dense_random, {});
  };
  // With more columns a grid whose x and y are swapped would be refused before the budget says why.
  expect(matmul_reach_outcome(of_column, 70000, values, 500'000));
}

TEST_CASE("budget") {
  constexpr MatmulShape kShape = {64, 96, 128};
  constexpr double M = kShape.m, N = kShape.n, K = kShape.k;
  expect_budget("matmul_transposed_a", 5 * M * N * K + 4 * M * N, [=] {
    return detail::run_case<float, float>(run_transposed_a, kShape, MatmulInputs::dense_random, {});
  });
}

}  // namespace tut::ch04
