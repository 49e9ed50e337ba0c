#include "12_mixed_precision/round_to_half.hpp"

#include <cuda_fp16.h>
#include <doctest/doctest.h>

#include <stdexcept>

#include "rounding_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/numeric/precision_cuda.hpp"

namespace tut::ch12 {
namespace {

const RoundingTrial<std::uint16_t> trial{FP16, round_to_half,
                                         [](float x) { return bits_of(__float2half_rn(x)); }};

}  // namespace

TEST_CASE("round_to_half gives CUDA's bits at every number, midpoint and neighbour") {
  expect_rounding(trial);
}

TEST_CASE("round_to_half refuses lengths that differ or are 0") {
  const DeviceBuffer<float> in(2);
  const DeviceBuffer<std::uint16_t> out(2);
  for (const auto& [from, to] : WRONG_LENGTHS) {
    CAPTURE(from);
    CAPTURE(to);
    CHECK_THROWS_AS(round_to_half({in.data(), from}, {out.data(), to}), std::invalid_argument);
  }
}

TEST_CASE("budget") {
  constexpr std::size_t SIZE = 4096;
  expect_budget("round_to_half", 6.0 * SIZE, [] { return rounding_outcome(trial, SIZE); });
  expect_cost(6.0 * (SIZE + 5), [] { return rounding_outcome(trial, SIZE + 5); });
}

}  // namespace tut::ch12
