// FP8: conversions against a list of all values, rounding and overflow.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cuda_fp8.h"
#include "small_float_reference.hpp"

namespace {

struct Format {
  __nv_fp8_interpretation_t kind;
  int mantissa_bits, bias;
  unsigned count;              ///< finite magnitudes
  unsigned overflow;           ///< what overflow becomes without saturation
  std::vector<double> values;  ///< and the first magnitude beyond them

  Format(__nv_fp8_interpretation_t k, int mantissa, int b, unsigned n, unsigned over)
      : kind(k),
        mantissa_bits(mantissa),
        bias(b),
        count(n),
        overflow(over),
        values(reference::magnitudes(n + 1, mantissa, b)) {}

  unsigned expected(double x, __nv_saturation_t saturate) const {
    if (std::isnan(x)) return 0x7F;
    const double finite = std::isinf(x) ? std::copysign(1e30, x) : x;
    const unsigned bits = reference::round(values, finite, reference::Mode::kNearest, 0x80u);
    if ((bits & 0x7F) < count) return bits;
    return (bits & 0x80) | (saturate == __NV_SATFINITE ? count - 1 : overflow);
  }
};

const Format kFormats[] = {{__NV_E4M3, 3, 7, 0x7F, 0x7F}, {__NV_E5M2, 2, 15, 0x7C, 0x7C}};

}  // namespace

TEST_CASE("fp8: all encodings widen exactly and round-trip") {
  for (const Format& format : kFormats) {
    for (unsigned b = 0; b < 256; ++b) {
      CAPTURE(b);
      const auto storage = static_cast<__nv_fp8_storage_t>(b);
      const float x = __half2float(__nv_cvt_fp8_to_halfraw(storage, format.kind));
      const unsigned magnitude = b & 0x7F;
      if (magnitude >= format.count) {
        const bool infinite = format.kind == __NV_E5M2 && magnitude == 0x7C;
        CHECK(std::isinf(x) == infinite);
        CHECK(std::isnan(x) == !infinite);
        continue;
      }
      CHECK(static_cast<double>(x) == (b & 0x80 ? -1 : 1) * format.values[magnitude]);
      CHECK(__nv_cvt_float_to_fp8(x, __NV_NOSAT, format.kind) == b);
    }
  }
}

TEST_CASE("fp8: every wider type rounds once, to nearest even") {
  int wrong = 0;
  const auto check = [&](const Format& format, float x) {
    for (const auto saturate : {__NV_SATFINITE, __NV_NOSAT}) {
      const double d = static_cast<double>(x);
      wrong += __nv_cvt_float_to_fp8(x, saturate, format.kind) != format.expected(d, saturate);
      const __half h(x);
      wrong += __nv_cvt_halfraw_to_fp8(h, saturate, format.kind) !=
               format.expected(static_cast<double>(__half2float(h)), saturate);
      const __nv_bfloat16 b(x);
      wrong += __nv_cvt_bfloat16raw_to_fp8(b, saturate, format.kind) !=
               format.expected(static_cast<double>(__bfloat162float(b)), saturate);
    }
  };
  for (const Format& format : kFormats) {
    for (std::uint64_t i = 0; i < (std::uint64_t{1} << 32); i += 32771) {
      check(format, std::bit_cast<float>(static_cast<std::uint32_t>(i)));
    }
    for (unsigned i = 0; i < format.count; ++i) {
      const auto tie = static_cast<float>((format.values[i] + format.values[i + 1]) / 2);
      for (const float x : {tie, std::nextafter(tie, 0.0f), std::nextafter(tie, INFINITY)}) {
        check(format, x);
        check(format, -x);
      }
    }
  }
  CHECK(wrong == 0);
  // By way of float this would be a tie, and even.
  CHECK(__nv_cvt_double_to_fp8(1.0625 + 0x1p-40, __NV_SATFINITE, __NV_E4M3) == 0x39);
  CHECK(__nv_cvt_double_to_fp8(1.0625, __NV_SATFINITE, __NV_E4M3) == 0x38);
}

TEST_CASE("fp8: overflow, infinity and NaN") {
  CHECK(__nv_cvt_float_to_fp8(464.0f, __NV_NOSAT, __NV_E4M3) == 0x7E);
  CHECK(__nv_cvt_float_to_fp8(464.1f, __NV_NOSAT, __NV_E4M3) == 0x7F);
  CHECK(__nv_cvt_float_to_fp8(-1e9f, __NV_SATFINITE, __NV_E4M3) == 0xFE);
  CHECK(__nv_cvt_float_to_fp8(INFINITY, __NV_SATFINITE, __NV_E5M2) == 0x7B);
  CHECK(__nv_cvt_float_to_fp8(-INFINITY, __NV_NOSAT, __NV_E5M2) == 0xFC);
  CHECK(__nv_cvt_float_to_fp8(-NAN, __NV_SATFINITE, __NV_E5M2) == 0x7F);
}

TEST_CASE("fp8: types") {
  const __nv_fp8_e4m3 a(3.3f);
  CHECK(static_cast<float>(a) == 3.25f);
  CHECK(static_cast<int>(a) == 3);
  CHECK(static_cast<bool>(a));
  CHECK(static_cast<float>(__nv_fp8_e4m3(1000)) == 448.0f);
  CHECK(static_cast<float>(__nv_fp8_e5m2(__half(-3.4f))) == -3.5f);
  const __nv_fp8x2_e5m2 pair(float2{1.0f, -2.0f});
  CHECK(pair.__x == 0xC03C);
  CHECK(static_cast<float2>(pair).y == -2.0f);
  const __nv_fp8x4_e4m3 four(float4{1.0f, 2.0f, 3.0f, 500.0f});
  const float4 back = static_cast<float4>(four);
  CHECK(back.x == 1.0f);
  CHECK(back.z == 3.0f);
  CHECK(back.w == 448.0f);
  CHECK((four.__x & 0xFF) == 0x38);
}
