// Conversions, casts of bits, integer and SIMD intrinsics, mathematics: by definition, by inverse
// and by worked examples.
#include "simt/device_functions.hpp"

#include <doctest/doctest.h>

#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

#include "vector_functions.h"

TEST_CASE("float to integer: rounding, saturation, NaN") {
  CHECK(__float2int_rn(2.5f) == 2);
  CHECK(__float2int_rn(3.5f) == 4);
  CHECK(__float2int_rz(-2.9f) == -2);
  CHECK(__float2int_ru(-2.9f) == -2);
  CHECK(__float2int_ru(2.1f) == 3);
  CHECK(__float2int_rd(-2.1f) == -3);
  CHECK(__float2int_rn(3e9f) == INT_MAX);
  CHECK(__float2int_rn(-3e9f) == INT_MIN);
  CHECK(__float2int_rn(2147483648.0f) == INT_MAX);
  CHECK(__float2int_rn(-2147483648.0f) == INT_MIN);
  CHECK(__float2int_rn(NAN) == 0);
  CHECK(__float2uint_rn(-5.0f) == 0u);
  CHECK(__float2uint_rn(4294967296.0f) == UINT_MAX);
  CHECK(__float2uint_rz(4294967040.0f) == 4294967040u);
  CHECK(__float2uint_rn(NAN) == 0u);
  CHECK(__float2ll_rn(1e30f) == LLONG_MAX);
  CHECK(__float2ll_rn(-1e30f) == LLONG_MIN);
  CHECK(__float2ll_rn(NAN) == LLONG_MIN);
  CHECK(__float2ull_rn(1e30f) == ULLONG_MAX);
  CHECK(__float2ull_rn(-1.0f) == 0ull);
  CHECK(__float2ull_rn(NAN) == 1ull << 63);
}

TEST_CASE("double to integer: rounding, saturation, NaN") {
  CHECK(__double2int_rn(-0.5) == 0);
  CHECK(__double2int_rn(1.5) == 2);
  CHECK(__double2int_ru(2147483646.5) == INT_MAX);
  CHECK(__double2int_rd(-2147483647.5) == INT_MIN);
  CHECK(__double2int_rn(1e300) == INT_MAX);
  CHECK(__double2int_rn(NAN) == INT_MIN);
  CHECK(__double2uint_rn(NAN) == 1u << 31);
  CHECK(__double2uint_rz(4294967295.9) == UINT_MAX);
  CHECK(__double2ll_rz(-9.3e18) == LLONG_MIN);
  CHECK(__double2ll_rn(9007199254740993.0) == 9007199254740992ll);
  CHECK(__double2ull_rd(1.8e19) == 18000000000000000000ull);
}

TEST_CASE("integer to float rounds as named") {
  CHECK(__int2float_rn(16777217) == 16777216.0f);
  CHECK(__int2float_rn(16777219) == 16777220.0f);
  CHECK(__int2float_ru(16777217) == 16777218.0f);
  CHECK(__int2float_rd(16777217) == 16777216.0f);
  CHECK(__int2float_rz(-16777219) == -16777218.0f);
  CHECK(__int2float_rd(-16777217) == -16777218.0f);
  CHECK(__uint2float_ru(UINT_MAX) == 4294967296.0f);
  CHECK(__uint2float_rz(UINT_MAX) == 4294967040.0f);
  CHECK(__ll2float_rd(LLONG_MAX) == 9223371487098961920.0f);
  CHECK(__ull2float_ru(ULLONG_MAX) == 18446744073709551616.0f);
  CHECK(__ull2float_rz(ULLONG_MAX) == 18446742974197923840.0f);
  CHECK(__ull2float_ru((1ull << 63) + 1) == 9223373136366403584.0f);
  CHECK(__ll2double_ru((1ll << 53) + 1) == 9007199254740994.0);
  CHECK(__ull2double_rz(ULLONG_MAX) == 18446744073709549568.0);
  CHECK(__int2double_rn(INT_MIN) == -2147483648.0);
}

TEST_CASE("casts of bits") {
  CHECK(__float_as_int(1.0f) == 0x3F800000);
  CHECK(__float_as_uint(-0.0f) == 0x80000000u);
  CHECK(__int_as_float(0x40490FDB) == 3.14159274f);
  CHECK(std::isnan(__uint_as_float(0x7FC00000u)));
  CHECK(__double_as_longlong(1.0) == 0x3FF0000000000000ll);
  CHECK(__longlong_as_double(0x4000000000000000ll) == 2.0);
  CHECK(__hiloint2double(__double2hiint(-1.1), __double2loint(-1.1)) == -1.1);
}

TEST_CASE("counting and moving bits") {
  CHECK(__clz(0) == 32);
  CHECK(__clz(1) == 31);
  CHECK(__clz(-1) == 0);
  CHECK(__clzll(0) == 64);
  CHECK(__ffs(0) == 0);
  CHECK(__ffs(INT_MIN) == 32);
  CHECK(__ffsll(1ll << 40) == 41);
  CHECK(__popc(0xF0F0F0F0u) == 16);
  CHECK(__popcll(~0ull) == 64);
  CHECK(__brev(1u) == 0x80000000u);
  CHECK(__brev(0x12345678u) == 0x1E6A2C48u);
  CHECK(__brevll(1ull) == 1ull << 63);
  CHECK(__byte_perm(0x33221100u, 0x77665544u, 0x5140u) == 0x55114400u);
  CHECK(__byte_perm(0x33221180u, 0x77665544u, 0x98u) == 0x808000FFu);
  CHECK(__fns(0b10110u, 0, 1) == 1u);
  CHECK(__fns(0b10110u, 0, 3) == 4u);
  CHECK(__fns(0b10110u, 4, -2) == 2u);
  CHECK(__fns(0b10110u, 2, 0) == 2u);
  CHECK(__fns(0b10110u, 3, 0) == UINT_MAX);
  CHECK(__fns(0b10110u, 0, 4) == UINT_MAX);
}

TEST_CASE("funnel shifts") {
  CHECK(__funnelshift_l(0x80000001u, 0x00000002u, 1) == 0x00000005u);
  CHECK(__funnelshift_r(0x80000001u, 0x00000003u, 1) == 0xC0000000u);
  CHECK(__funnelshift_l(1u, 2u, 32) == 2u);
  CHECK(__funnelshift_lc(1u, 2u, 32) == 1u);
  CHECK(__funnelshift_lc(1u, 2u, 40) == 1u);
  CHECK(__funnelshift_r(1u, 2u, 32) == 1u);
  CHECK(__funnelshift_rc(1u, 2u, 99) == 2u);
}

TEST_CASE("wide products, averages, differences") {
  CHECK(__mulhi(INT_MIN, INT_MIN) == 0x40000000);
  CHECK(__mulhi(-1, 1) == -1);
  CHECK(__umulhi(UINT_MAX, UINT_MAX) == UINT_MAX - 1);
  CHECK(__mul64hi(-1ll, 1ll) == -1ll);
  CHECK(__umul64hi(ULLONG_MAX, 2) == 1ull);
  CHECK(__mul24(0x00FFFFFF, 5) == -5);
  CHECK(__umul24(0xFF000003u, 5u) == 15u);
  CHECK(__sad(-3, 4, 10u) == 17u);
  CHECK(__sad(INT_MIN, INT_MAX, 0u) == UINT_MAX);
  CHECK(__usad(3u, 9u, 1u) == 7u);
  CHECK(__hadd(-3, 0) == -2);
  CHECK(__rhadd(-3, 0) == -1);
  CHECK(__hadd(INT_MAX, INT_MAX) == INT_MAX);
  CHECK(__uhadd(UINT_MAX, UINT_MAX) == UINT_MAX);
  CHECK(__urhadd(1u, 2u) == 2u);
}

TEST_CASE("dot products of bytes") {
  CHECK(__dp4a(0x01020304, 0x05060708, 100) == 100 + 5 + 12 + 21 + 32);
  CHECK(__dp4a(-1, 0x7F7F7F7F, 0) == -4 * 127);
  CHECK(__dp4a(0xFFFFFFFFu, 0xFFFFFFFFu, 1u) == 4u * 255u * 255u + 1u);
  CHECK(__dp4a(make_char4(1, -2, 3, -4), make_char4(1, 1, 1, 1), 0) == -2);
  CHECK(__dp2a_lo(0x00020001, 0x04030201, 0) == 1 * 1 + 2 * 2);
  CHECK(__dp2a_hi(0x00020001, 0x04030201, 0) == 1 * 3 + 2 * 4);
  CHECK(__dp2a_lo(0xFFFF0001u, 0x000002FFu, 0u) == 255u + 65535u * 2u);
}

TEST_CASE("SIMD within a word") {
  CHECK(__vadd4(0xFF01807Fu, 0x01FF8001u) == 0x00000080u);
  CHECK(__vaddss4(0xFF01807Fu, 0x01FF8001u) == 0x0000807Fu);
  CHECK(__vaddus4(0xFF01807Fu, 0x01FF8001u) == 0xFFFFFF80u);
  CHECK(__vsub2(0x00008000u, 0x00010001u) == 0xFFFF7FFFu);
  CHECK(__vsubss2(0x00008000u, 0x00010001u) == 0xFFFF8000u);
  CHECK(__vsubus2(0x00008000u, 0x00010001u) == 0x00007FFFu);
  CHECK(__vmaxs4(0x80FF017Fu, 0x00000000u) == 0x0000017Fu);
  CHECK(__vmaxu4(0x80FF017Fu, 0x00000000u) == 0x80FF017Fu);
  CHECK(__vmins2(0x8000FFFFu, 0x00000000u) == 0x8000FFFFu);
  CHECK(__vminu2(0x8000FFFFu, 0x00010001u) == 0x00010001u);
  CHECK(__vcmpeq4(0x01020304u, 0x01FF0304u) == 0xFF00FFFFu);
  CHECK(__vseteq4(0x01020304u, 0x01FF0304u) == 0x01000101u);
  CHECK(__vcmpgts2(0x00018000u, 0xFFFF0000u) == 0xFFFF0000u);
  CHECK(__vcmpgtu2(0x00018000u, 0xFFFF0000u) == 0x0000FFFFu);
  CHECK(__vabs4(0x80FF7F00u) == 0x80017F00u);
  CHECK(__vabsss4(0x80FF7F00u) == 0x7F017F00u);
  CHECK(__vneg2(0x00018000u) == 0xFFFF8000u);
  CHECK(__vnegss2(0x00018000u) == 0xFFFF7FFFu);
  CHECK(__vabsdiffu4(0x00FF0510u, 0xFF000A10u) == 0xFFFF0500u);
  CHECK(__vsadu4(0x00FF0510u, 0xFF000A10u) == 255u + 255u + 5u);
  CHECK(__vsads2(0xFFFF0001u, 0x00010001u) == 2u);
  CHECK(__vavgu4(0x00FF0102u, 0x01FF0202u) == 0x01FF0202u);
  CHECK(__vhaddu4(0x00FF0102u, 0x01FF0202u) == 0x00FF0102u);
}

TEST_CASE("min and max mix types as CUDA has them") {
  static_assert(std::is_same_v<decltype(min(1, 2u)), unsigned>);
  static_assert(std::is_same_v<decltype(max(1l, 2ul)), unsigned long>);
  static_assert(std::is_same_v<decltype(max(1ll, 2ull)), unsigned long long>);
  static_assert(std::is_same_v<decltype(min(1.0f, 2.0)), double>);
  CHECK(min(-1, 2u) == 2u);
  CHECK(max(-1, 2u) == UINT_MAX);
  CHECK(max(NAN, 1.0f) == 1.0f);
  CHECK(max(1.0f, NAN) == 1.0f);
  CHECK(min(NAN, -1.0) == -1.0);
  CHECK(std::isnan(min(NAN, NAN)));
}

TEST_CASE("mathematics") {
  CHECK(rsqrtf(4.0f) == 0.5f);
  CHECK(rcbrtf(27.0f) == doctest::Approx(1.0 / 3));
  CHECK(exp10f(2.0f) == 100.0f);
  CHECK(sinpif(0.5f) == 1.0f);
  CHECK(sinpi(1e15) == 0.0);
  CHECK(std::signbit(sinpi(-3.0)));
  CHECK(cospi(0.5) == 0.0);
  CHECK(cospif(1.0f) == -1.0f);
  for (double x = -4.0; x <= 4.0; x += 0.015625) {
    CHECK(sinpi(x) == doctest::Approx(std::sin(simt::detail::kPi * x)).epsilon(1e-12));
    CHECK(cospi(x) == doctest::Approx(std::cos(simt::detail::kPi * x)).epsilon(1e-12));
  }
  CHECK(__saturatef(2.0f) == 1.0f);
  CHECK(__saturatef(-2.0f) == 0.0f);
  CHECK(__saturatef(NAN) == 0.0f);
  CHECK(__fdividef(1.0f, 0x1p127f) == 0.0f);
  CHECK(std::isnan(__fdividef(INFINITY, 0x1p127f)));
  CHECK(__fdividef(6.0f, 3.0f) == 2.0f);
  CHECK(norm3df(3e30f, 4e30f, 0.0f) == doctest::Approx(5e30));
  CHECK(norm4d(1, 1, 1, 1) == 2.0);
  CHECK(rnorm3df(3.0f, 4.0f, 0.0f) == doctest::Approx(0.2));
  const float values[] = {2, 3, 6};
  CHECK(normf(3, values) == 7.0f);
  CHECK(rhypotf(3.0f, 4.0f) == doctest::Approx(0.2));
  CHECK(cyl_bessel_i0f(1.0f) == doctest::Approx(1.26606587));
  CHECK(cyl_bessel_i1f(-1.0f) == doctest::Approx(-0.56515910));
  float s = 0, c = 0;
  sincospif(0.25f, &s, &c);
  CHECK(s == doctest::Approx(c));
}

TEST_CASE("inverse error functions invert") {
  // Near 2, erfc's own rounding hides all but a few digits of its argument.
  for (double x = -3.5; x <= 5.5; x += 0.03125) {
    CHECK(erfcinv(std::erfc(x)) == doctest::Approx(x).epsilon(1e-7));
    CHECK(normcdfinv(normcdf(-x)) == doctest::Approx(-x).epsilon(1e-7));
    if (std::fabs(x) < 3) CHECK(erfinv(std::erf(x)) == doctest::Approx(x).epsilon(1e-9));
  }
  for (double x = 1.0; x <= 26.0; x += 0.5) {
    CHECK(erfcinv(std::erfc(x)) == doctest::Approx(x).epsilon(1e-12));
  }
  CHECK(erfinv(1.0) == INFINITY);
  CHECK(erfinvf(-1.0f) == -INFINITY);
  CHECK(std::isnan(erfinv(1.5)));
  CHECK(erfcinv(0.0) == INFINITY);
  CHECK(erfcx(0.0) == 1.0);
  CHECK(erfcx(24.99) == doctest::Approx(erfcx(25.01)).epsilon(1e-3));
  CHECK(erfcx(1e6) == doctest::Approx(0.5641895835477563e-6).epsilon(1e-12));
}
