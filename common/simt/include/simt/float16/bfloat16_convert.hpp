/// @file
/// The conversions of __nv_bfloat16 and __nv_bfloat162: between them, float, double and the
/// integers. Source: CUDA Math API, "Bfloat16 Precision Conversion and Data Movement".
#pragma once

#include "simt/float16/bfloat16_type.hpp"
#include "simt/float16/to_integer.hpp"
#include "vector_types.h"

// Floating point.
inline __nv_bfloat16 __float2bfloat16(float x) { return simt::detail::narrow<__nv_bfloat16>(x); }
inline __nv_bfloat16 __float2bfloat16_rn(float x) { return simt::detail::narrow<__nv_bfloat16>(x); }
inline __nv_bfloat16 __float2bfloat16_rz(float x) {
  return simt::detail::narrow_directed<__nv_bfloat16>(static_cast<double>(x),
                                                      simt::detail::Rounding::kZero);
}
inline __nv_bfloat16 __float2bfloat16_ru(float x) {
  return simt::detail::narrow_directed<__nv_bfloat16>(static_cast<double>(x),
                                                      simt::detail::Rounding::kUp);
}
inline __nv_bfloat16 __float2bfloat16_rd(float x) {
  return simt::detail::narrow_directed<__nv_bfloat16>(static_cast<double>(x),
                                                      simt::detail::Rounding::kDown);
}
inline __nv_bfloat16 __double2bfloat16(double x) {
  return simt::detail::narrow_double<__nv_bfloat16>(x);
}
inline float __bfloat162float(__nv_bfloat16 h) { return simt::detail::widen(h); }

// Integers.
inline signed char __bfloat162char_rz(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<signed char, simt::detail::Rounding::kZero>(h);
}
inline unsigned char __bfloat162uchar_rz(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<unsigned char, simt::detail::Rounding::kZero>(h);
}
inline short __bfloat162short_rn(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<short, simt::detail::Rounding::kNearest>(h);
}
inline short __bfloat162short_rz(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<short, simt::detail::Rounding::kZero>(h);
}
inline short __bfloat162short_ru(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<short, simt::detail::Rounding::kUp>(h);
}
inline short __bfloat162short_rd(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<short, simt::detail::Rounding::kDown>(h);
}
inline unsigned short __bfloat162ushort_rn(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<unsigned short, simt::detail::Rounding::kNearest>(h);
}
inline unsigned short __bfloat162ushort_rz(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<unsigned short, simt::detail::Rounding::kZero>(h);
}
inline unsigned short __bfloat162ushort_ru(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<unsigned short, simt::detail::Rounding::kUp>(h);
}
inline unsigned short __bfloat162ushort_rd(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<unsigned short, simt::detail::Rounding::kDown>(h);
}
inline int __bfloat162int_rn(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<int, simt::detail::Rounding::kNearest>(h);
}
inline int __bfloat162int_rz(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<int, simt::detail::Rounding::kZero>(h);
}
inline int __bfloat162int_ru(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<int, simt::detail::Rounding::kUp>(h);
}
inline int __bfloat162int_rd(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<int, simt::detail::Rounding::kDown>(h);
}
inline unsigned __bfloat162uint_rn(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<unsigned, simt::detail::Rounding::kNearest>(h);
}
inline unsigned __bfloat162uint_rz(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<unsigned, simt::detail::Rounding::kZero>(h);
}
inline unsigned __bfloat162uint_ru(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<unsigned, simt::detail::Rounding::kUp>(h);
}
inline unsigned __bfloat162uint_rd(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<unsigned, simt::detail::Rounding::kDown>(h);
}
inline long long __bfloat162ll_rn(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<long long, simt::detail::Rounding::kNearest>(h);
}
inline long long __bfloat162ll_rz(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<long long, simt::detail::Rounding::kZero>(h);
}
inline long long __bfloat162ll_ru(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<long long, simt::detail::Rounding::kUp>(h);
}
inline long long __bfloat162ll_rd(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<long long, simt::detail::Rounding::kDown>(h);
}
inline unsigned long long __bfloat162ull_rn(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<unsigned long long, simt::detail::Rounding::kNearest>(h);
}
inline unsigned long long __bfloat162ull_rz(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<unsigned long long, simt::detail::Rounding::kZero>(h);
}
inline unsigned long long __bfloat162ull_ru(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<unsigned long long, simt::detail::Rounding::kUp>(h);
}
inline unsigned long long __bfloat162ull_rd(__nv_bfloat16 h) {
  return simt::detail::float16_to_integer<unsigned long long, simt::detail::Rounding::kDown>(h);
}
inline __nv_bfloat16 __short2bfloat16_rn(short i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kNearest);
}
inline __nv_bfloat16 __short2bfloat16_rz(short i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kZero);
}
inline __nv_bfloat16 __short2bfloat16_ru(short i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kUp);
}
inline __nv_bfloat16 __short2bfloat16_rd(short i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kDown);
}
inline __nv_bfloat16 __ushort2bfloat16_rn(unsigned short i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kNearest);
}
inline __nv_bfloat16 __ushort2bfloat16_rz(unsigned short i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kZero);
}
inline __nv_bfloat16 __ushort2bfloat16_ru(unsigned short i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kUp);
}
inline __nv_bfloat16 __ushort2bfloat16_rd(unsigned short i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kDown);
}
inline __nv_bfloat16 __int2bfloat16_rn(int i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kNearest);
}
inline __nv_bfloat16 __int2bfloat16_rz(int i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kZero);
}
inline __nv_bfloat16 __int2bfloat16_ru(int i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kUp);
}
inline __nv_bfloat16 __int2bfloat16_rd(int i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kDown);
}
inline __nv_bfloat16 __uint2bfloat16_rn(unsigned i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kNearest);
}
inline __nv_bfloat16 __uint2bfloat16_rz(unsigned i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kZero);
}
inline __nv_bfloat16 __uint2bfloat16_ru(unsigned i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kUp);
}
inline __nv_bfloat16 __uint2bfloat16_rd(unsigned i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kDown);
}
inline __nv_bfloat16 __ll2bfloat16_rn(long long i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kNearest);
}
inline __nv_bfloat16 __ll2bfloat16_rz(long long i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kZero);
}
inline __nv_bfloat16 __ll2bfloat16_ru(long long i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kUp);
}
inline __nv_bfloat16 __ll2bfloat16_rd(long long i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kDown);
}
inline __nv_bfloat16 __ull2bfloat16_rn(unsigned long long i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kNearest);
}
inline __nv_bfloat16 __ull2bfloat16_rz(unsigned long long i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kZero);
}
inline __nv_bfloat16 __ull2bfloat16_ru(unsigned long long i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kUp);
}
inline __nv_bfloat16 __ull2bfloat16_rd(unsigned long long i) {
  return simt::detail::integer_to_float16<__nv_bfloat16>(i, simt::detail::Rounding::kDown);
}

// Bits.
inline short __bfloat16_as_short(__nv_bfloat16 h) {
  return static_cast<short>(simt::detail::bits16(h));
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return simt::detail::bits16(h); }
inline __nv_bfloat16 __short_as_bfloat16(short bits) {
  return simt::detail::from_bits16<__nv_bfloat16>(static_cast<unsigned>(bits));
}
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return simt::detail::from_bits16<__nv_bfloat16>(bits);
}

// Pairs.
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return __nv_bfloat162(x, y);
}
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return __nv_bfloat162(x, y);
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return __nv_bfloat162(x, x); }
inline __nv_bfloat162 __float2bfloat162_rn(float x) {
  return __bfloat162bfloat162(__float2bfloat16_rn(x));
}
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return __nv_bfloat162(__float2bfloat16_rn(x), __float2bfloat16_rn(y));
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
inline float2 __bfloat1622float2(__nv_bfloat162 v) {
  return {__bfloat162float(v.x), __bfloat162float(v.y)};
}
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.y); }
inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.x, b.x);
}
inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162(a.y, b.y);
}
inline __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.x); }
inline float __low2float(__nv_bfloat162 v) { return __bfloat162float(v.x); }
inline float __high2float(__nv_bfloat162 v) { return __bfloat162float(v.y); }
