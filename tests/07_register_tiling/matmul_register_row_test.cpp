#include "07_register_tiling/matmul_register_row.hpp"

#include <doctest/doctest.h>

#include "tut/budget.hpp"
#include "tut/device_matrix.hpp"
#include "tut/matmul_test.hpp"

TEST_CASE("matmul_register_row computes C = AB") {
  tut::test_matmul(tut::ch07::matmul_register_row, {.shapes = tut::matmul_shapes(64, 64, 8)});
}

TEST_CASE("budget") {
  constexpr int M = 64, N = 128, K = 96;
  const tut::DeviceMatrix<float> a(M, K), b(K, N);
  tut::DeviceMatrix<float> c(M, N);
  tut::expect_budget("matmul_register_row", M * N * K / 8.0 + 4.0 * M * N,
                     [&] { tut::ch07::matmul_register_row(a.view(), b.view(), c.view()); });
}
