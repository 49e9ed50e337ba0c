#include "05_shared_memory_tiling/matmul_padded.hpp"

#include <doctest/doctest.h>

#include "tut/budget.hpp"
#include "tut/device_matrix.hpp"
#include "tut/matmul_test.hpp"

TEST_CASE("matmul_padded computes C = AB") {
  tut::test_matmul(tut::ch05::matmul_padded, {.shapes = tut::matmul_shapes(32)});
}

TEST_CASE("budget") {
  constexpr int M = 64, N = 96, K = 128;
  const tut::DeviceMatrix<float> a(M, K), b(K, N);
  tut::DeviceMatrix<float> c(M, N);
  tut::expect_budget("matmul_padded", M * N * K / 4.0 + 4.0 * M * N,
                     [&] { tut::ch05::matmul_padded(a.view(), b.view(), c.view()); });
}
