#include "09_wmma/matmul_wmma_warp_tile.hpp"

#include <doctest/doctest.h>

#include "tensor_core_case.hpp"
#include "tut/budget.hpp"

namespace tut::ch09 {

TEST_CASE("matmul_wmma_warp_tile computes C = AB") {
  test_tensor_matmul<__half>("matmul_wmma_warp_tile", matmul_wmma_warp_tile,
                             matmul_shapes(32, 32, 16));
}

TEST_CASE("matmul_wmma_warp_tile passes infinities and NaN on") {
  expect(special_values_outcome(device_run<__half>(matmul_wmma_warp_tile)));
}

TEST_CASE("budget") {
  constexpr int M = 64, N = 96, K = 128;
  expect_budget("matmul_wmma_warp_tile", M * N * K / 4.0 + 4.0 * M * N, [] {
    return dense_outcome(device_run<__half>(matmul_wmma_warp_tile), {M, N, K});
  });
}

}  // namespace tut::ch09
