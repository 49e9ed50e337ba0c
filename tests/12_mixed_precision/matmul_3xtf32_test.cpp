#include "12_mixed_precision/matmul_3xtf32.hpp"

#include <doctest/doctest.h>

#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/testing/matmul_test.hpp"

namespace tut::ch12 {

TEST_CASE("matmul_3xtf32 computes C = AB as accurately as FP32") {
  if (!has_tf32_and_bfloat16()) {
    MESSAGE("skipped: this device has no TF32 (compute capability below 8.0)");
    return;
  }
  // Splitting loses 2^-23 of each input, and lo*lo is at most 2^-22 of a product.
  const MatmulTolerance tolerance{.accumulation = 0x1p-23, .input_rounding = 0x1p-22};
  test_matmul(matmul_3xtf32, {.shapes = {{128, 128, 32},
                                         {129, 132, 36},
                                         {131, 130, 33},
                                         {1, 135, 7},
                                         {127, 1, 64},
                                         {64, 260, 17},
                                         {1, 1, 1},
                                         {5, 4, 100}},
                              .tolerance = tolerance});
}

}  // namespace tut::ch12
