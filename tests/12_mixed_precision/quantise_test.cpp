#include "12_mixed_precision/quantise.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace tut::ch12 {
namespace {

/// The largest error of numbers from `low` to `high`, in units of the scale.
double worst(const Quantisation& by, double low, double high) {
  double error = 0;
  for (int i = 0; i <= 1000; ++i) {
    const auto x = static_cast<float>(low + (high - low) * i / 1000);
    error = std::max(error, std::abs(static_cast<double>(dequantise(quantise(x, by), by)) -
                                     static_cast<double>(x)));
  }
  return error / static_cast<double>(by.scale);
}

}  // namespace

TEST_CASE("a number is off by half a scale at most, inside of the range") {
  CHECK(worst(symmetric(1), -1, 1) <= 0.5001);
  CHECK(worst(for_range(0, 6), 0, 6) <= 0.5001);
  // A zero point is whole: one end may be half a scale farther away.
  CHECK(worst(for_range(-1, 3), -1, 3) <= 1.0001);
}

TEST_CASE("0 is exact, and what lies outside becomes the end") {
  for (const Quantisation by : {symmetric(5), for_range(0, 6), for_range(-1, 3)}) {
    CHECK(dequantise(quantise(0, by), by) == 0);
    CHECK(quantise(1e6f, by) == 127);
    CHECK(quantise(-1e6f, by) == -128);
  }
}

TEST_CASE("the lesson's example: 0 to 6 by 255 steps") {
  const Quantisation by = for_range(0, 6);
  CHECK(by.zero == -128);
  CHECK(quantise(6, by) == 127);
  CHECK(quantise(1.3f, by) == -73);
  CHECK(dequantise(-73, by) == doctest::Approx(1.294118));
}

}  // namespace tut::ch12
