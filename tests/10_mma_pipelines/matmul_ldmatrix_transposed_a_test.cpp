#include "10_mma_pipelines/matmul_ldmatrix_transposed_a.hpp"

#include <doctest/doctest.h>

#include "mma_case.hpp"

namespace tut::ch10 {

TEST_CASE("matmul_ldmatrix_transposed_a computes C = A^T B") {
  test_values<__half>("matmul_ldmatrix_transposed_a", matmul_ldmatrix_transposed_a,
                      matmul_shapes(64, 64, 64), Turned::a);
}

TEST_CASE(
    "matmul_ldmatrix_transposed_a passes infinities on, reaches all of C, and refuses what does "
    "not fit") {
  test_ends<__half>("matmul_ldmatrix_transposed_a", matmul_ldmatrix_transposed_a, Turned::a);
}

TEST_CASE("budget") {
  // Which tiles of 128 divide.
  test_budget<__half>("matmul_ldmatrix_transposed_a", matmul_ldmatrix_transposed_a, {128, 256, 256},
                      Turned::a);
}

}  // namespace tut::ch10
