#include "09_wmma/matmul_wmma_warp_tile.hpp"

#include <doctest/doctest.h>

#include "../matmul_budget.hpp"
#include "../product_refusals.hpp"
#include "../tensor_products.hpp"
#include "tensor_core_case.hpp"
#include "tut/budget/budget.hpp"

namespace tut::ch09 {

TEST_CASE("matmul_wmma_warp_tile computes C = AB") {
  test_tensor_matmul<__half>("matmul_wmma_warp_tile", matmul_wmma_warp_tile,
                             matmul_shapes(32, 32, 16));
}

TEST_CASE("matmul_wmma_warp_tile passes infinities and NaN on") {
  expect(special_values_outcome(device_run<__half>(matmul_wmma_warp_tile)));
}

TEST_CASE("matmul_wmma_warp_tile of as many rows, columns and elements as there may be") {
  expect(matmul_reach_outcome<__half>(matmul_wmma_warp_tile));
}

TEST_CASE("matmul_wmma_warp_tile refuses shapes that do not fit") {
  expect(product_refusals_outcome<__half, float>(
      [](auto a, auto b, auto c) { matmul_wmma_warp_tile(a, b, c); }));
}

TEST_CASE("budget") {
  constexpr int M = 128, N = 256, K = 64;  // which four warps of any tile divide
  const auto cost = [](const MatmulShape& s) { return s.m * s.n * (s.k / 4.0 + 4.0); };
  const auto outcome = [](const MatmulShape& shape) {
    return dense_outcome(device_run<__half>(matmul_wmma_warp_tile), shape);
  };
  expect_budget("matmul_wmma_warp_tile", cost({M, N, K}), [=] { return outcome({M, N, K}); });
  for (const MatmulShape& s : shapes_of_one_tile({M, N, K}, 64)) {
    expect_cost(cost(s), [=] { return outcome(s); });
  }
  for (const MatmulShape& shape : ragged_shapes()) {
    expect_tensor_products(fragment_products(shape.m, shape.n, shape.k),
                           [&] { return outcome(shape); });
  }
}

}  // namespace tut::ch09
