#include "12_mixed_precision/matmul_tensor.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/precision_cuda.hpp"
#include "tut/testing/matmul_test.hpp"

namespace tut::ch12 {
namespace {

// Section by section: what the sums lose, and what the inputs lose before.
constexpr MatmulTolerance float_sums{.accumulation = 0x1p-23};
constexpr MatmulTolerance half_sums{.accumulation = 0x1p-11};
constexpr MatmulTolerance tf32_inputs{.accumulation = 0x1p-23, .input_rounding = 0x1p-11};

}  // namespace

TEST_CASE("matmul_float_sums and matmul_half_sums compute C = AB") {
  test_matmul(matmul_float_sums, {.shapes = matmul_shapes(16), .tolerance = float_sums});
  test_matmul(matmul_half_sums, {.shapes = matmul_shapes(16), .tolerance = half_sums});
}

TEST_CASE("matmul_bfloat16 and matmul_tf32 compute C = AB") {
  if (!has_tf32_and_bfloat16()) {
    MESSAGE("skipped: this device has neither bfloat16 nor TF32 (compute capability below 8.0)");
    DeviceMatrix<float> one(1, 1);
    CHECK_THROWS_AS(matmul_tf32(one.cview(), one.cview(), one.view()), std::runtime_error);
    return;
  }
  test_matmul(matmul_bfloat16, {.shapes = matmul_shapes(16), .tolerance = float_sums});
  test_matmul(matmul_tf32, {.shapes = matmul_shapes(16, 16, 8), .tolerance = tf32_inputs});
}

}  // namespace tut::ch12
