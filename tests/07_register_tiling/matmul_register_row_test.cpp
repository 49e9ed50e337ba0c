#include "07_register_tiling/matmul_register_row.hpp"

#include <doctest/doctest.h>

#include "exercise_case.hpp"

namespace tut::ch07 {

TEST_CASE("matmul_register_row computes C = AB") {
  test_matmul(matmul_register_row, {.shapes = matmul_shapes(64, 64, 8)});
}

TEST_CASE("matmul_register_row of odd places, long shapes, infinities and NaN") {
  test_beyond_the_battery(run_of(matmul_register_row));
}

TEST_CASE("matmul_register_row reaches all of a large C") {
  test_reach(matmul_register_row, run_of(matmul_register_row));
}

TEST_CASE("budget") {
  constexpr int M = 64, N = 128, K = 96;
  expect_product_budget("matmul_register_row", {M, N, K}, M * N * K / 8.0 + 4.0 * M * N,
                        run_of(matmul_register_row));
}

}  // namespace tut::ch07
