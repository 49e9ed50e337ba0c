// The inlined expf, fmaxf and their kin, against double and by definition.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "simt/device_functions.hpp"

TEST_CASE("expf is within one unit in the last place, subnormal results included") {
  double worst = 0;
  float worst_at = 0;
  for (std::uint64_t i = 0; i < (std::uint64_t{1} << 32); i += 1021) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(i));
    const float got = expf(x);
    if (std::isnan(x)) {
      REQUIRE(std::isnan(got));
      continue;
    }
    const double exact = std::exp(static_cast<double>(x));
    const auto nearest = static_cast<float>(exact);
    if (std::isinf(nearest) || nearest == 0.0f) {
      REQUIRE(got == nearest);
      continue;
    }
    const double ulp = static_cast<double>(std::nextafter(nearest, INFINITY)) - nearest;
    const double error = std::fabs(got - exact) / ulp;
    if (error > worst) {
      worst = error;
      worst_at = x;
    }
  }
  CAPTURE(worst_at);
  CHECK(worst <= 1.0);
  CHECK(expf(0.0f) == 1.0f);
  CHECK(expf(-0.0f) == 1.0f);
  CHECK(expf(INFINITY) == INFINITY);
  CHECK(expf(-INFINITY) == 0.0f);
  CHECK(__expf(1.0f) == expf(1.0f));
}

TEST_CASE("expf gives the same bits in a vectorised loop and alone") {
  std::vector<float> in(1003), out(1003);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i) * 0.21f - 104.0f;
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = expf(in[i]);
  for (std::size_t i = 0; i < in.size(); ++i) {
    float x = in[i];
    simt::detail::opaque(x);
    REQUIRE(out[i] == expf(x));
  }
}

TEST_CASE("a NaN loses against a number in fmaxf and fminf") {
  CHECK(fmaxf(NAN, 1.0f) == 1.0f);
  CHECK(fmaxf(1.0f, NAN) == 1.0f);
  CHECK(fminf(NAN, -1.0f) == -1.0f);
  CHECK(fmin(2.0, NAN) == 2.0);
  CHECK(fmax(2.0, 3.0) == 3.0);
  CHECK(std::isnan(fmaxf(NAN, NAN)));
}
