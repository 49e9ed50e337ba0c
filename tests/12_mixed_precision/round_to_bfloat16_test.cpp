#include "12_mixed_precision/round_to_bfloat16.hpp"

#include <cuda_bf16.h>
#include <doctest/doctest.h>

#include <stdexcept>

#include "rounding_case.hpp"
#include "tut/device/device_buffer.hpp"
#include "tut/numeric/precision_cuda.hpp"

namespace tut::ch12 {

TEST_CASE("round_to_bfloat16 gives CUDA's bits at every number, midpoint and neighbour") {
  const RoundingTrial<std::uint16_t> trial{BF16, round_to_bfloat16,
                                           [](float x) { return bits_of(__float2bfloat16_rn(x)); }};
  for (const std::size_t count : {SIZE_MAX, std::size_t{1}, std::size_t{257}}) {
    expect(rounding_outcome(trial, count));
  }
}

TEST_CASE("a NaN with its bits at the bottom does not become infinity") {
  const DeviceBuffer<float> in(std::vector<float>{std::bit_cast<float>(0x7F800001u)});
  const DeviceBuffer<std::uint16_t> out(1);
  round_to_bfloat16({in.data(), 1}, {out.data(), 1});
  CHECK(out.to_host()[0] == 0x7FFF);
}

TEST_CASE("round_to_bfloat16 refuses lengths that differ or are 0") {
  const DeviceBuffer<float> in(2);
  const DeviceBuffer<std::uint16_t> out(2);
  for (const auto& [from, to] : WRONG_LENGTHS) {
    CAPTURE(from);
    CAPTURE(to);
    CHECK_THROWS_AS(round_to_bfloat16({in.data(), from}, {out.data(), to}), std::invalid_argument);
  }
}

}  // namespace tut::ch12
