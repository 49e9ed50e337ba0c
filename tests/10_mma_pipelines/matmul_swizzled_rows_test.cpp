#include "10_mma_pipelines/matmul_swizzled_rows.hpp"

#include <doctest/doctest.h>

#include "mma_case.hpp"

namespace tut::ch10 {

TEST_CASE("matmul_swizzled_rows computes C = AB") {
  test_values<__half>("matmul_swizzled_rows", matmul_swizzled_rows, matmul_shapes(64, 64, 32),
                      Turned::none);
}

TEST_CASE(
    "matmul_swizzled_rows passes infinities on, reaches all of C, and refuses what does not fit") {
  test_ends<__half>("matmul_swizzled_rows", matmul_swizzled_rows, Turned::none);
}

TEST_CASE("budget") {
  // Which tiles of 128 divide.
  test_budget<__half>("matmul_swizzled_rows", matmul_swizzled_rows, {128, 256, 256}, Turned::none);
}

}  // namespace tut::ch10
