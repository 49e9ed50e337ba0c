#include "05_shared_memory_tiling/matmul_rectangular.hpp"

#include <doctest/doctest.h>

#include "../matmul_budget.hpp"
#include "../matmul_reach.hpp"
#include "tut/matmul_corners.hpp"
#include "tut/matmul_test.hpp"

namespace tut::ch05 {
namespace {

void run(Guarded<float>& a, Guarded<float>& b, Guarded<float>& c) {
  const auto call = [](cudaStream_t stream, MatrixView<const float> av, MatrixView<const float> bv,
                       MatrixView<float> cv) { matmul_rectangular(av, bv, cv, stream); };
  run_on_images({.most_launches = 1}, call, a, b, c);
}

}  // namespace

TEST_CASE("matmul_rectangular computes C = AB") {
  test_matmul(matmul_rectangular, {.shapes = matmul_shapes(8, 32, 32)});
}

TEST_CASE("matmul_rectangular takes long matrices, at any address, and what is no number") {
  expect(matmul_corners_outcome(run));
}

TEST_CASE("matmul_rectangular reaches all of a large C") {
  expect(matmul_reach_outcome(matmul_rectangular, 2200, [](const MatmulShape& shape) {
    return detail::run_case<float, float>(run, shape, MatmulInputs::dense_random, {});
  }));
}

TEST_CASE("budget") {
  constexpr MatmulShape kShape = {64, 96, 128};
  constexpr double M = kShape.m, N = kShape.n, K = kShape.k;
  expect_product_budget("matmul_rectangular", kShape, 5 * M * N * K / 8 + 4 * M * N, run);
}

}  // namespace tut::ch05
