#include "12_mixed_precision/matmul_split_bf16.hpp"

#include <doctest/doctest.h>

#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/budget.hpp"
#include "tut/device_matrix.hpp"
#include "tut/matmul_test.hpp"

namespace tut::ch12 {

TEST_CASE("matmul_split_bf16 computes C = AB with 16 bits of every input") {
  if (!has_tf32_and_bfloat16()) {
    MESSAGE("skipped: this device has no bfloat16 (compute capability below 8.0)");
    return;
  }
  // A pair is off by 2^-16 of its number at most, and lo*lo is at most 2^-16 of a product.
  const MatmulTolerance tolerance{.accumulation = 0x1p-23, .input_rounding = 1.5 * 0x1p-16};
  test_matmul(matmul_split_bf16, {.shapes = matmul_shapes(16), .tolerance = tolerance});
}

TEST_CASE("budget") {
  constexpr int M = 64, N = 96, K = 128;
  const DeviceMatrix<float> a(M, K), b(K, N);
  DeviceMatrix<float> c(M, N);
  expect_budget("matmul_split_bf16", M * N * K / 2.0 + 4.0 * M * N,
                [&] { matmul_split_bf16(a.view(), b.view(), c.view()); });
}

}  // namespace tut::ch12
