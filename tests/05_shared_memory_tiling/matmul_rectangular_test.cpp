#include "05_shared_memory_tiling/matmul_rectangular.hpp"

#include <doctest/doctest.h>

#include "tut/budget.hpp"
#include "tut/device_matrix.hpp"
#include "tut/matmul_test.hpp"

TEST_CASE("matmul_rectangular computes C = AB") {
  tut::test_matmul(tut::ch05::matmul_rectangular, {.shapes = tut::matmul_shapes(8, 32, 32)});
}

TEST_CASE("budget") {
  constexpr int M = 64, N = 96, K = 128;
  const tut::DeviceMatrix<float> a(M, K), b(K, N);
  tut::DeviceMatrix<float> c(M, N);
  tut::expect_budget("matmul_rectangular", 5.0 * M * N * K / 8 + 4.0 * M * N,
                     [&] { tut::ch05::matmul_rectangular(a.view(), b.view(), c.view()); });
}
