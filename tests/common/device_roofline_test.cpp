#include "tut/bench/device_roofline.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "tut/device/device_buffer.hpp"
#include "tut/device/tensor_cores.hpp"
#include "tut/errors/check.hpp"

namespace tut {
namespace {

TEST_CASE("every thread does all the multiply-adds that its rate is made of") {
  constexpr int BLOCKS = 3, STEPS = 5;
  const DeviceBuffer<float> sums(BLOCKS * ROOFLINE_THREADS);
  run_multiply_adds(sums.data(), BLOCKS, STEPS, nullptr);
  float expected = 0;
  for (int i = 0; i < ROOFLINE_CHAINS; ++i) {
    float chain = static_cast<float>(i);
    for (int step = 0; step < STEPS; ++step) chain = std::fmaf(chain, 0.5f, 1.0f);
    expected += chain;
  }
  for (const float sum : sums.to_host()) REQUIRE(sum == expected);
}

template <class T>
void check_tensor_products() {
  if (compute_capability() < least_capability<T>) return;
  constexpr int BLOCKS = 2, STEPS = 3, WARPS = BLOCKS * ROOFLINE_THREADS / 32;
  const DeviceBuffer<float> sums(WARPS);
  run_tensor_multiply_adds<T>(sums.data(), BLOCKS, STEPS, nullptr);
  constexpr int EACH = 16 * 16 / 32;  // elements of an accumulator that a lane holds
  int expected = 0;
  for (int i = 0; i < ROOFLINE_FRAGMENTS; ++i) expected += EACH * (i + STEPS * tensor_depth<T>());
  for (const float sum : sums.to_host()) REQUIRE(sum == static_cast<float>(expected));
}

TEST_CASE("every warp does its products of fragments of ones") {
  check_tensor_products<__half>();
  check_tensor_products<__nv_bfloat16>();
  check_tensor_products<Tf32>();
}

TEST_CASE("rates are positive, and nobody measures an unknown one") {
  CHECK(measure_copy_rate(1 << 16) > 0);
  CHECK(measure_flop_rate("fp32", 2) > 0);
  CHECK_THROWS_AS(measure_flop_rate("fp7", 2), std::invalid_argument);
}

}  // namespace
}  // namespace tut
