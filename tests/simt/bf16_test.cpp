// bfloat16: conversions, arithmetic, comparisons, against a list of all its values.
#include <doctest/doctest.h>

#include <climits>
#include <cmath>
#include <cstdint>

#include "cuda_bf16.h"
#include "float16_test_suite.hpp"

namespace {

using Bfloat = __nv_bfloat16;
using float16_suite::bits;
using float16_suite::Format;
using float16_suite::make;
using reference::Mode;

const Format<Bfloat> kFormat(7, 127, 0x7F80);

}  // namespace

TEST_CASE("bfloat16: all 65536 encodings widen exactly and round-trip") {
  int wrong = 0;
  for (unsigned b = 0; b < 65536; ++b) {
    const float x = __bfloat162float(make<Bfloat>(b));
    wrong += std::bit_cast<std::uint32_t>(x) != b << 16;
    wrong += bits(__float2bfloat16(x)) != (kFormat.is_nan(b) ? 0x7FFF : b);
    if (!kFormat.is_nan(b)) wrong += static_cast<double>(x) != kFormat.value(b);
  }
  CHECK(wrong == 0);
}

TEST_CASE("bfloat16: float rounds as the mode says") {
  long wrong = 0, seen = 0;
  float16_suite::visit_floats(kFormat, [&](float x) {
    const double d = static_cast<double>(x);
    ++seen;
    wrong += bits(__float2bfloat16_rn(x)) != kFormat.round(d);
    wrong += bits(__double2bfloat16(d)) != kFormat.round(d);
    wrong += bits(__float2bfloat16_rz(x)) != kFormat.round(d, Mode::kZero);
    wrong += bits(__float2bfloat16_ru(x)) != kFormat.round(d, Mode::kUp);
    wrong += bits(__float2bfloat16_rd(x)) != kFormat.round(d, Mode::kDown);
  });
  CHECK(seen > 1000000);
  CHECK(wrong == 0);
}

TEST_CASE("bfloat16: double is rounded once") {
  CHECK(bits(__double2bfloat16(1.0 + 0x1p-8 + 0x1p-40)) == 0x3F81);
  CHECK(bits(__double2bfloat16(1.0 + 0x1p-8)) == 0x3F80);
  CHECK(bits(__double2bfloat16(0x1p-134 + 0x1p-180)) == 0x0001);
  CHECK(bits(__double2bfloat16(0x1p-134)) == 0x0000);
  CHECK(bits(__double2bfloat16(-1e300)) == 0xFF80);
}

TEST_CASE("bfloat16: arithmetic rounds once, to nearest even") {
  CHECK(float16_suite::wrong_arithmetic(kFormat, 400000) == 0);
  // The product 1 + 2^-8 + 2^-16 is exact; so is the tie 1 + 2^-8 that only 2^-120 breaks.
  const Bfloat one(1.0f), tiny(0x1p-120f);
  CHECK(bits(__hfma(Bfloat(0x1p-60f), Bfloat(0x1p-60f), one)) == 0x3F80);
  CHECK(bits(__hfma(make<Bfloat>(0x3FC0), make<Bfloat>(0x3FAB), tiny)) ==
        kFormat.round(1.5 * 1.3359375 + 0x1p-50));
  CHECK(bits(__hfma(make<Bfloat>(0x3FC0), make<Bfloat>(0x3FAB), -tiny)) ==
        kFormat.round(1.5 * 1.3359375 - 0x1p-50));
}

TEST_CASE("bfloat16: comparisons, minimum and maximum") {
  CHECK(float16_suite::wrong_comparisons(kFormat) == 0);
}

TEST_CASE("bfloat16: integers") {
  CHECK(__bfloat162int_rn(Bfloat(2.5f)) == 2);
  CHECK(__bfloat162int_rz(Bfloat(1e20f)) == INT_MAX);
  CHECK(__bfloat162int_rz(make<Bfloat>(0x7FFF)) == 0);
  CHECK(__bfloat162ull_rn(make<Bfloat>(0x7FFF)) == 1ull << 63);
  CHECK(__bfloat162short_rd(Bfloat(-1e9f)) == SHRT_MIN);
  CHECK(bits(__int2bfloat16_rn(257)) == bits(Bfloat(256.0f)));
  CHECK(bits(__int2bfloat16_ru(257)) == bits(Bfloat(258.0f)));
  // 2^62 + 2^54 is a tie between neighbours; one more breaks it.
  CHECK(bits(__ll2bfloat16_rn((1ll << 62) + (1ll << 54))) == bits(Bfloat(0x1p62f)));
  CHECK(bits(__ll2bfloat16_rn((1ll << 62) + (1ll << 54) + 1)) == bits(Bfloat(0x1.02p62f)));
  CHECK(bits(__ull2bfloat16_rz(ULLONG_MAX)) == bits(Bfloat(0x1.FEp63f)));
}

TEST_CASE("bfloat162: element by element") {
  const __nv_bfloat162 a = __floats2bfloat162_rn(1.0f, -2.0f),
                       b = __floats2bfloat162_rn(3.0f, 0.5f);
  const float2 sum = __bfloat1622float2(__hadd2(a, b));
  CHECK(sum.x == 4.0f);
  CHECK(sum.y == -1.5f);
  CHECK(__high2float(__hfma2(a, b, a)) == -3.0f);
  CHECK(__low2float(__hmax2(a, b)) == 3.0f);
  CHECK(std::bit_cast<std::uint32_t>(a) == 0xC0003F80u);
}
