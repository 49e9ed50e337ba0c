// half: conversions, arithmetic, comparisons, against a list of all its values.
#include <doctest/doctest.h>

#include <climits>
#include <cmath>
#include <cstdint>

#include "cuda_fp16.h"
#include "float16_test_suite.hpp"

namespace {

using float16_suite::bits;
using float16_suite::Format;
using float16_suite::make;
using reference::Mode;

const Format<__half> kFormat(10, 15, 0x7C00);

}  // namespace

TEST_CASE("half: all 65536 encodings widen exactly and round-trip") {
  int wrong = 0;
  for (unsigned b = 0; b < 65536; ++b) {
    const __half h = make<__half>(b);
    const float x = __half2float(h);
    if (kFormat.is_nan(b)) {
      wrong += std::bit_cast<std::uint32_t>(x) != 0x7FFFFFFFu || bits(__float2half(x)) != 0x7FFF;
      continue;
    }
    wrong += static_cast<double>(x) != kFormat.value(b) || std::signbit(x) != (b >> 15 != 0);
    wrong += bits(__float2half(x)) != b || bits(__double2half(static_cast<double>(x))) != b;
  }
  CHECK(wrong == 0);
}

TEST_CASE("half: float rounds to nearest even") {
  long wrong = 0, seen = 0;
  float16_suite::visit_floats(kFormat, [&](float x) {
    const unsigned expected = kFormat.round(static_cast<double>(x));
    ++seen;
    wrong += bits(__float2half_rn(x)) != expected;
    wrong += bits(__double2half(static_cast<double>(x))) != expected;
  });
  CHECK(seen > 1000000);
  CHECK(wrong == 0);
}

TEST_CASE("half: float rounds as the mode says") {
  long wrong = 0;
  float16_suite::visit_floats(kFormat, [&](float x) {
    const double d = static_cast<double>(x);
    wrong += bits(__float2half_rz(x)) != kFormat.round(d, Mode::kZero);
    wrong += bits(__float2half_ru(x)) != kFormat.round(d, Mode::kUp);
    wrong += bits(__float2half_rd(x)) != kFormat.round(d, Mode::kDown);
  });
  CHECK(wrong == 0);
}

TEST_CASE("half: double is rounded once") {
  // Just above a tie, by less than a float sees.
  CHECK(bits(__double2half(1.0 + 0x1p-11 + 0x1p-40)) == 0x3C01);
  CHECK(bits(__double2half(1.0 + 0x1p-11)) == 0x3C00);
  CHECK(bits(__double2half(1.0 + 0x1p-10 + 0x1p-11 - 0x1p-40)) == 0x3C01);
  CHECK(bits(__double2half(0x1p-25 + 0x1p-70)) == 0x0001);
  CHECK(bits(__double2half(1e300)) == 0x7C00);
  CHECK(bits(__double2half(-1e-300)) == 0x8000);
}

TEST_CASE("half: arithmetic rounds once, to nearest even") {
  CHECK(float16_suite::wrong_arithmetic(kFormat, 400000) == 0);
  // 1 + 2^-11 is a tie; the fused product adds the little that breaks it.
  const __half tiny = make<__half>(0x0001);
  CHECK(bits(__hfma(tiny, tiny, make<__half>(0x3C00))) == 0x3C00);
  CHECK(bits(__hfma(make<__half>(0x3C01), make<__half>(0x1000), make<__half>(0x3C00))) == 0x3C01);
}

TEST_CASE("half: comparisons, minimum and maximum") {
  CHECK(float16_suite::wrong_comparisons(kFormat) == 0);
}

TEST_CASE("half: integers") {
  CHECK(__half2int_rn(__half(2.5f)) == 2);
  CHECK(__half2int_ru(__half(2.5f)) == 3);
  CHECK(__half2int_rz(__half(-2.5f)) == -2);
  CHECK(__half2int_rd(__half(-2.5f)) == -3);
  CHECK(__half2int_rz(make<__half>(0x7C00)) == INT_MAX);
  CHECK(__half2int_rz(make<__half>(0x7FFF)) == 0);
  CHECK(__half2short_rn(__half(40000.0f)) == SHRT_MAX);
  CHECK(__half2ushort_rn(__half(-1.0f)) == 0);
  CHECK(__half2char_rz(__half(-300.0f)) == -128);
  CHECK(__half2uchar_rz(__half(300.0f)) == 255);
  CHECK(__half2ll_rn(make<__half>(0x7FFF)) == LLONG_MIN);
  CHECK(__half2ull_rn(make<__half>(0x7C00)) == ULLONG_MAX);
  CHECK(bits(__int2half_rn(2049)) == bits(__half(2048.0f)));
  CHECK(bits(__int2half_ru(2049)) == bits(__half(2050.0f)));
  CHECK(bits(__int2half_rn(65519)) == 0x7BFF);
  CHECK(bits(__int2half_rn(65520)) == 0x7C00);
  CHECK(bits(__int2half_rz(INT_MAX)) == 0x7BFF);
  CHECK(bits(__int2half_rd(INT_MIN)) == 0xFC00);
  CHECK(bits(__ull2half_ru(ULLONG_MAX)) == 0x7C00);
  CHECK(bits(__ll2half_rz(LLONG_MIN)) == 0xFBFF);
  CHECK(static_cast<int>(__half(-7.9f)) == -7);
  CHECK(static_cast<float>(__half(3)) == 3.0f);
}

TEST_CASE("half: saturation, sign, classes, rounding to whole numbers") {
  const __half nan = make<__half>(0x7FFF);
  CHECK(bits(__hadd_sat(__half(0.75f), __half(0.75f))) == 0x3C00);
  CHECK(bits(__hsub_sat(__half(0.25f), __half(0.75f))) == 0x0000);
  CHECK(bits(__hmul_sat(nan, __half(1.0f))) == 0x0000);
  CHECK(bits(__hfma_relu(__half(-1.0f), __half(1.0f), __half(0.0f))) == 0x0000);
  CHECK(bits(__hfma_relu(nan, __half(1.0f), __half(0.0f))) == 0x7FFF);
  CHECK(bits(__hneg(__half(0.0f))) == 0x8000);
  CHECK(bits(__habs(__half(-2.0f))) == 0x4000);
  CHECK(__hisnan(nan));
  CHECK(__hisinf(make<__half>(0xFC00)) == -1);
  CHECK(__hisinf(make<__half>(0x7C00)) == 1);
  CHECK(__hisinf(__half(1.0f)) == 0);
  CHECK(bits(hrint(__half(2.5f))) == bits(__half(2.0f)));
  CHECK(bits(hceil(__half(-0.5f))) == 0x8000);
  CHECK(bits(hfloor(__half(-0.5f))) == bits(__half(-1.0f)));
  CHECK(bits(htrunc(__half(-1.5f))) == bits(__half(-1.0f)));
}

TEST_CASE("half: roots and reciprocals of all numbers round once") {
  int wrong = 0;
  for (unsigned b = 1; b < 0x7C00; ++b) {
    const double x = kFormat.value(b);
    wrong += bits(hsqrt(make<__half>(b))) != kFormat.round(std::sqrt(x));
    wrong += bits(hrcp(make<__half>(b))) != kFormat.round(1 / x);
    wrong += bits(hrsqrt(make<__half>(b))) != kFormat.round(1 / std::sqrt(x));
  }
  CHECK(wrong == 0);
  CHECK(static_cast<float>(hexp(__half(1.0f))) == doctest::Approx(std::exp(1.0)).epsilon(1e-3));
  CHECK(static_cast<float>(hlog2(__half(8.0f))) == 3.0f);
  CHECK(static_cast<float>(htanh(__half(20.0f))) == 1.0f);
}

TEST_CASE("half2: element by element") {
  const __half2 a(1.0f, -2.0f), b(3.0f, 0.5f), c(0.25f, 4.0f);
  const float2 sum = __half22float2(__hfma2(a, b, c));
  CHECK(sum.x == 3.25f);
  CHECK(sum.y == 3.0f);
  CHECK(__low2float(a * b) == 3.0f);
  CHECK(__high2float(a - b) == -2.5f);
  CHECK(__hlt2_mask(a, b) == 0xFFFFFFFFu);
  CHECK(__hgt2_mask(a, c) == 0x0000FFFFu);
  CHECK(__hblt2(a, b));
  CHECK_FALSE(__hbgt2(a, c));
  CHECK(__high2float(__hgt2(b, a)) == 1.0f);
  CHECK(__low2float(__lowhigh2highlow(a)) == -2.0f);
  CHECK(__low2float(__lows2half2(a, b)) == 1.0f);
  CHECK(__high2float(__highs2half2(a, b)) == 0.5f);
  CHECK(__high2float(__floats2half2_rn(1.0f, 5.0f)) == 5.0f);
  const float2 z = __half22float2(__hcmadd(a, b, c));  // (1-2i)(3+0.5i) + (0.25+4i)
  CHECK(z.x == 4.25f);
  CHECK(z.y == -1.5f);
  CHECK(std::bit_cast<std::uint32_t>(a) == 0xC0003C00u);
}

TEST_CASE("half: atomicAdd") {
  __half h(1.0f);
  CHECK(static_cast<float>(atomicAdd(&h, __half(0.5f))) == 1.0f);
  CHECK(static_cast<float>(h) == 1.5f);
  __half2 p(1.0f, 2.0f);
  CHECK(__high2float(atomicAdd(&p, __half2(1.0f, 1.0f))) == 2.0f);
  CHECK(__high2float(p) == 3.0f);
}
