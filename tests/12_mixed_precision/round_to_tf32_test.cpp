#include "12_mixed_precision/round_to_tf32.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "12_mixed_precision/matmul_tensor.hpp"
#include "12_mixed_precision/tensor_core_support.hpp"
#include "rounding_case.hpp"
#include "tut/budget/budget.hpp"
#include "tut/matrix/device_matrix.hpp"
#include "tut/numeric/precision.hpp"
#include "tut/numeric/random.hpp"

namespace tut::ch12 {
namespace {

/// By arithmetic: to nearest, ties away from zero.
std::uint32_t tf32_bits(float x) {
  if (std::isnan(x) || std::isinf(x)) return std::bit_cast<std::uint32_t>(x);
  const double magnitude = std::abs(static_cast<double>(x)), step = spacing(TF32, magnitude);
  const double nearest = std::floor(magnitude / step + 0.5) * step;
  const double result = nearest > largest(TF32) ? INFINITY : nearest;
  return std::bit_cast<std::uint32_t>(std::copysign(static_cast<float>(result), x));
}

bool is_nan(std::uint32_t bits) { return (bits & 0x7FFFFFFFu) > 0x7F800000u; }

const RoundingTrial<std::uint32_t> trial{
    TF32,
    [](std::span<const float> in, std::span<std::uint32_t> out, cudaStream_t stream) {
      round_to_tf32(in, {reinterpret_cast<float*>(out.data()), out.size()}, stream);
    },
    tf32_bits,
    [](std::uint32_t got, std::uint32_t expected) {
      return got == expected || (is_nan(got) && is_nan(expected));
    }};

}  // namespace

TEST_CASE("round_to_tf32 is right at every number, midpoint and neighbour") {
  expect_rounding(trial);
}

TEST_CASE("a tensor core sees the same: a column times 1") {
  if (!has_tf32_and_bfloat16()) {
    MESSAGE("skipped: this device has no TF32 (compute capability below 8.0)");
    return;
  }
  HostMatrix<float> column(1000, 1), one(1, 1);
  fill_uniform(column, 9);
  one.fill(1);
  const DeviceMatrix<float> a(column), b(one);
  DeviceMatrix<float> product(1000, 1), rounded(1000, 1);
  matmul_tf32(a.cview(), b.cview(), product.view());
  round_to_tf32({a.data(), 1000}, {rounded.data(), 1000});
  const HostMatrix<float> expected = product.download(), got = rounded.download();
  int different = 0;
  for (int r = 0; r < 1000; ++r) different += !(got(r, 0) == expected(r, 0));
  CHECK(different == 0);
}

TEST_CASE("round_to_tf32 refuses lengths that differ or are 0") {
  const DeviceBuffer<float> in(2), out(2);
  for (const auto& [from, to] : WRONG_LENGTHS) {
    CAPTURE(from);
    CAPTURE(to);
    CHECK_THROWS_AS(round_to_tf32({in.data(), from}, {out.data(), to}), std::invalid_argument);
  }
}

TEST_CASE("budget") {
  constexpr std::size_t SIZE = 4096;
  expect_budget("round_to_tf32", 8.0 * SIZE, [] { return rounding_outcome(trial, SIZE); });
  expect_cost(8.0 * (SIZE + 5), [] { return rounding_outcome(trial, SIZE + 5); });
}

}  // namespace tut::ch12
