#include "01_naive_matmul/gemm.hpp"

#include <doctest/doctest.h>

#include "extreme_matrices.hpp"
#include "gemm_case.hpp"
#include "tut/testing/host_matmul_test.hpp"
#include "tut/testing/matmul_corners.hpp"

namespace tut::ch01 {
namespace {

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
      expect(gemm_outcome(gemm, -2.5f, beta, shape));
      expect(gemm_outcome(gemm, 0.0f, beta, shape));
    }
  }
}

TEST_CASE("gemm with factors and values that are large, small or infinite") {
  const MatmulShape shape{17, 33, 19};
  expect(gemm_outcome(gemm, 70000.0f, 1e-6f, shape));
  expect(gemm_outcome(gemm, 1.0f, -0.0f, shape));
  expect_gemm_extremes(gemm);
  expect(special_values_outcome(product));
  expect(matmul_corners_outcome(host_run<float, float>(product)));
}

TEST_CASE("gemm with one long side, and with rows that lie far apart") {
  expect(long_shapes_outcome(product));
  expect(second_call_outcome(product));
  expect(same_memory_outcome(product));
  expect(far_rows_outcome(product));
  expect(gemm_far_rows_outcome(gemm));
}

TEST_CASE("gemm refuses what does not fit, whatever the factors") {
  expect(gemm_refusals_outcome(gemm));
}

}  // namespace tut::ch01
