/// @file
/// Conversions between FP8 (E4M3, E5M2) and the wider formats, rounding once, to nearest even.
/// E4M3 has no infinity: what is too large becomes NaN, or the largest finite number if saturated.
/// Source: CUDA Math API, "FP8 Conversion and Data Movement".
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "simt/float16/encode.hpp"
#include "vector_types.h"

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned int;

enum __nv_saturation_t : int { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t : int { __NV_E4M3, __NV_E5M2 };

namespace simt::detail {

inline constexpr SmallFormat kE4M3Format{3, -6, 0x7F};
inline constexpr SmallFormat kE5M2Format{2, -14, 0x7C};

constexpr __nv_fp8_storage_t encode_fp8(double x, __nv_saturation_t saturate,
                                        __nv_fp8_interpretation_t kind) {
  if (x != x) return 0x7F;
  const bool negative = std::bit_cast<std::int64_t>(x) < 0;
  const SmallFormat format = kind == __NV_E4M3 ? kE4M3Format : kE5M2Format;
  // Infinity is as good as the largest double: both lie far beyond the format.
  constexpr double kLargest = 0x1p1023;
  const double finite = x > kLargest ? kLargest : x < -kLargest ? -kLargest : x;
  const Encoded encoded = encode_magnitude(format, finite, negative, Rounding::kNearest);
  const unsigned magnitude =
      encoded.overflow && saturate == __NV_SATFINITE ? format.infinity - 1 : encoded.magnitude;
  return static_cast<__nv_fp8_storage_t>(magnitude | (negative ? 0x80u : 0u));
}

/// The same number in half, which holds every FP8 number.
constexpr std::uint16_t fp8_as_half(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  const unsigned magnitude = x & 0x7Fu;
  const unsigned sign = (x & 0x80u) << 8;
  if (kind == __NV_E5M2) {
    return static_cast<std::uint16_t>(magnitude > 0x7Cu ? 0x7FFFu : sign | magnitude << 8);
  }
  if (magnitude == 0x7F) return 0x7FFF;
  // E4M3's exponent counts from 2^-7, half's from 2^-15.
  if (magnitude >= 8) return static_cast<std::uint16_t>(sign | ((magnitude << 7) + (8u << 10)));
  return static_cast<std::uint16_t>(sign | half_bits(static_cast<float>(magnitude) * 0x1p-9f));
}

}  // namespace simt::detail

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                 __nv_fp8_interpretation_t kind) {
  return simt::detail::encode_fp8(x, saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                __nv_fp8_interpretation_t kind) {
  return simt::detail::encode_fp8(static_cast<double>(x), saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                  __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__half2float(x), saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                      __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__bfloat162float(x), saturate, kind);
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return {simt::detail::fp8_as_half(x, kind)};
}

namespace simt::detail {

/// The first element in the low byte.
inline __nv_fp8x2_storage_t join_fp8(__nv_fp8_storage_t x, __nv_fp8_storage_t y) {
  return static_cast<__nv_fp8x2_storage_t>(x | y << 8);
}

}  // namespace simt::detail

inline __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
  return simt::detail::join_fp8(__nv_cvt_double_to_fp8(v.x, saturate, kind),
                                __nv_cvt_double_to_fp8(v.y, saturate, kind));
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t kind) {
  return simt::detail::join_fp8(__nv_cvt_float_to_fp8(v.x, saturate, kind),
                                __nv_cvt_float_to_fp8(v.y, saturate, kind));
}
inline __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind) {
  return simt::detail::join_fp8(__nv_cvt_halfraw_to_fp8({v.x}, saturate, kind),
                                __nv_cvt_halfraw_to_fp8({v.y}, saturate, kind));
}
inline __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v,
                                                           __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t kind) {
  return simt::detail::join_fp8(__nv_cvt_bfloat16raw_to_fp8({v.x}, saturate, kind),
                                __nv_cvt_bfloat16raw_to_fp8({v.y}, saturate, kind));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t v,
                                              __nv_fp8_interpretation_t kind) {
  return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(v), kind).x,
          __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(v >> 8), kind).x};
}
