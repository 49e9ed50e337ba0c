#include "09_wmma/matmul_wmma_warp_tile.hpp"

#include <doctest/doctest.h>

#include "tensor_core_case.hpp"
#include "tut/budget.hpp"
#include "tut/device_matrix.hpp"

TEST_CASE("matmul_wmma_warp_tile computes C = AB") {
  tut::ch09::test_tensor_matmul<__half>("matmul_wmma_warp_tile", tut::ch09::matmul_wmma_warp_tile,
                                        tut::matmul_shapes(32, 32, 16));
}

TEST_CASE("budget") {
  constexpr int M = 64, N = 96, K = 128;
  const tut::DeviceMatrix<__half> a(M, K), b(K, N);
  tut::DeviceMatrix<float> c(M, N);
  tut::expect_budget("matmul_wmma_warp_tile", M * N * K / 4.0 + 4.0 * M * N,
                     [&] { tut::ch09::matmul_wmma_warp_tile(a.view(), b.view(), c.view()); });
}
