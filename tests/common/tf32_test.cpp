#include "tut/numeric/tf32.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace {

using namespace tut;

std::uint32_t bits_after(float value) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(Tf32(value)));
}

float from_raw(std::uint32_t bits) { return std::bit_cast<float>(bits); }

}  // namespace

TEST_CASE("TF32 keeps ten bits of a significand, rounded to nearest, ties away from zero") {
  CHECK(static_cast<float>(Tf32(1.0f)) == 1.0f);
  CHECK(static_cast<float>(Tf32(2047.0f)) == 2047.0f);
  CHECK(static_cast<float>(Tf32(-0.0f)) == 0.0f);
  CHECK(std::signbit(static_cast<float>(Tf32(-0.0f))));
  CHECK(bits_after(from_raw(0x3F800FFF)) == 0x3F800000);  // just below half of the last place
  CHECK(bits_after(from_raw(0x3F801000)) == 0x3F802000);  // a tie
  CHECK(bits_after(from_raw(0x3F803000)) == 0x3F804000);  // a tie, which to even is the same
  CHECK(bits_after(from_raw(0xBF801000)) == 0xBF802000);
  CHECK(bits_after(from_raw(0x3FFFF000)) == 0x40000000);  // into the next exponent
  CHECK(bits_after(from_raw(0x00001000)) == 0x00002000);  // subnormal
  for (std::uint32_t bits = 0x3F000000; bits < 0x3F020000; bits += 37) {
    const float value = from_raw(bits), rounded = static_cast<float>(Tf32(value));
    CHECK((bits_of(Tf32(value)) & 0x1FFF) == 0);
    CHECK(std::abs(rounded - value) <= Precision<Tf32>::rounding * value);
  }
}

TEST_CASE("TF32 has infinities and NaNs, and float's range") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CHECK(static_cast<float>(Tf32(infinity)) == infinity);
  CHECK(static_cast<float>(Tf32(-infinity)) == -infinity);
  CHECK(static_cast<float>(Tf32(std::numeric_limits<float>::max())) == infinity);
  CHECK(static_cast<float>(Tf32(0x1.ffcp127f)) == 0x1.ffcp127f);
  for (const std::uint32_t bits : {0x7F800001u, 0x7FFFFFFFu, 0xFF801000u, 0xFFFFFFFFu}) {
    CHECK(std::isnan(static_cast<float>(Tf32(from_raw(bits)))));
    CHECK((bits_after(from_raw(bits)) & 0x1FFF) == 0);
  }
  CHECK(std::isnan(static_cast<float>(unwritten_value<Tf32>())));
  CHECK(std::isnan(static_cast<float>(padding_value<Tf32>())));
}
