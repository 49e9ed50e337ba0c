#include "10_mma_pipelines/matmul_mma_transposed_b.hpp"

#include <doctest/doctest.h>

#include "mma_case.hpp"

namespace tut::ch10 {

TEST_CASE("matmul_mma_transposed_b computes C = AB^T") {
  test_values<__half>("matmul_mma_transposed_b", matmul_mma_transposed_b, matmul_shapes(64, 64, 64),
                      Turned::b);
}

TEST_CASE(
    "matmul_mma_transposed_b passes infinities on, reaches all of C, and refuses what does not "
    "fit") {
  test_ends<__half>("matmul_mma_transposed_b", matmul_mma_transposed_b, Turned::b);
}

TEST_CASE("budget") {
  // Which tiles of 128 divide.
  test_budget<__half>("matmul_mma_transposed_b", matmul_mma_transposed_b, {128, 256, 256},
                      Turned::b);
}

}  // namespace tut::ch10
