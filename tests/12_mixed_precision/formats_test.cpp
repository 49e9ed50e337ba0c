#include "12_mixed_precision/formats.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <doctest/doctest.h>

#include <bit>
#include <cstring>

#include "rounding_case.hpp"

namespace tut::ch12 {
namespace {

/// CUDA's own type with these bits, as a float.
template <class T, class Code>
float widened(Code code) {
  T value;
  std::memcpy(static_cast<void*>(&value), &code, sizeof(code));
  return static_cast<float>(value);
}

/// Whether all codes of a format mean what CUDA's type says, both signs, and round to themselves.
template <class T, class Code>
int count_wrong_values(const Format& format) {
  int wrong = 0;
  const unsigned sign = 1u << (format.bits() - 1);
  for (unsigned code = 0; code < sign; ++code) {
    const auto value = static_cast<double>(widened<T>(static_cast<Code>(code)));
    const auto negative = static_cast<double>(widened<T>(static_cast<Code>(code | sign)));
    if (code > format.largest_code()) {
      wrong += std::isfinite(value) || std::isfinite(negative);
      continue;
    }
    wrong += value != value_of(format, code) || negative != -value;
    wrong += rounded(format, value) != value || std::signbit(rounded(format, negative)) != 1;
  }
  return wrong;
}

template <class Convert>
int count_wrong_roundings(const Format& format, Overflow overflow, Convert convert) {
  int wrong = 0;
  for (const float x : rounding_probes(format)) {
    const auto expected = static_cast<double>(convert(x));
    const double got = rounded(format, x, overflow);
    wrong += std::isnan(expected)
                 ? !std::isnan(got)
                 : std::bit_cast<std::uint64_t>(got) != std::bit_cast<std::uint64_t>(expected);
  }
  return wrong;
}

}  // namespace

TEST_CASE("every code of every 8 and 16 bit format means what CUDA's type says") {
  CHECK(count_wrong_values<__half, std::uint16_t>(FP16) == 0);
  CHECK(count_wrong_values<__nv_bfloat16, std::uint16_t>(BF16) == 0);
  CHECK(count_wrong_values<__nv_fp8_e4m3, std::uint8_t>(E4M3) == 0);
  CHECK(count_wrong_values<__nv_fp8_e5m2, std::uint8_t>(E5M2) == 0);
}

TEST_CASE("rounding by arithmetic is CUDA's rounding, at every midpoint and beside it") {
  CHECK(count_wrong_roundings(FP16, Overflow::to_infinity,
                              [](float x) { return __half2float(__float2half_rn(x)); }) == 0);
  CHECK(count_wrong_roundings(BF16, Overflow::to_infinity, [](float x) {
          return __bfloat162float(__float2bfloat16_rn(x));
        }) == 0);
  const auto fp8 = [](float x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    return __half2float(
        __half(__nv_cvt_fp8_to_halfraw(__nv_cvt_float_to_fp8(x, saturate, kind), kind)));
  };
  const auto check_fp8 = [&](const Format& format, __nv_fp8_interpretation_t kind) {
    CHECK(count_wrong_roundings(format, Overflow::to_infinity,
                                [&](float x) { return fp8(x, __NV_NOSAT, kind); }) == 0);
    CHECK(count_wrong_roundings(format, Overflow::saturate,
                                [&](float x) { return fp8(x, __NV_SATFINITE, kind); }) == 0);
  };
  check_fp8(E4M3, __NV_E4M3);
  check_fp8(E5M2, __NV_E5M2);
}

TEST_CASE("ranges by hand") {
  CHECK(largest(FP16) == 65504);
  CHECK(largest(E4M3) == 448);
  CHECK(largest(E5M2) == 57344);
  CHECK(smallest(FP16) == 0x1p-24);
  CHECK(smallest_normal(BF16) == 0x1p-126);
  CHECK(spacing(FP16, 2048) == 2);
  CHECK(spacing(FP32, 1) == 0x1p-23);
  CHECK(TF32.bits() == 19);
}

}  // namespace tut::ch12
