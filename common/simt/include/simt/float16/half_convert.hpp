/// @file
/// The conversions of __half and __half2: between them, float, double and the integers.
/// Source: CUDA Math API, "Half Precision Conversion and Data Movement".
#pragma once

#include "simt/float16/half_type.hpp"
#include "simt/float16/to_integer.hpp"
#include "vector_types.h"

// Floating point.
inline __half __float2half(float x) { return simt::detail::narrow<__half>(x); }
inline __half __float2half_rn(float x) { return simt::detail::narrow<__half>(x); }
inline __half __float2half_rz(float x) {
  return simt::detail::narrow_directed<__half>(static_cast<double>(x),
                                               simt::detail::Rounding::kZero);
}
inline __half __float2half_ru(float x) {
  return simt::detail::narrow_directed<__half>(static_cast<double>(x), simt::detail::Rounding::kUp);
}
inline __half __float2half_rd(float x) {
  return simt::detail::narrow_directed<__half>(static_cast<double>(x),
                                               simt::detail::Rounding::kDown);
}
inline __half __double2half(double x) { return simt::detail::narrow_double<__half>(x); }
inline float __half2float(__half h) { return simt::detail::widen(h); }

// Integers.
inline signed char __half2char_rz(__half h) {
  return simt::detail::float16_to_integer<signed char, simt::detail::Rounding::kZero>(h);
}
inline unsigned char __half2uchar_rz(__half h) {
  return simt::detail::float16_to_integer<unsigned char, simt::detail::Rounding::kZero>(h);
}
inline short __half2short_rn(__half h) {
  return simt::detail::float16_to_integer<short, simt::detail::Rounding::kNearest>(h);
}
inline short __half2short_rz(__half h) {
  return simt::detail::float16_to_integer<short, simt::detail::Rounding::kZero>(h);
}
inline short __half2short_ru(__half h) {
  return simt::detail::float16_to_integer<short, simt::detail::Rounding::kUp>(h);
}
inline short __half2short_rd(__half h) {
  return simt::detail::float16_to_integer<short, simt::detail::Rounding::kDown>(h);
}
inline unsigned short __half2ushort_rn(__half h) {
  return simt::detail::float16_to_integer<unsigned short, simt::detail::Rounding::kNearest>(h);
}
inline unsigned short __half2ushort_rz(__half h) {
  return simt::detail::float16_to_integer<unsigned short, simt::detail::Rounding::kZero>(h);
}
inline unsigned short __half2ushort_ru(__half h) {
  return simt::detail::float16_to_integer<unsigned short, simt::detail::Rounding::kUp>(h);
}
inline unsigned short __half2ushort_rd(__half h) {
  return simt::detail::float16_to_integer<unsigned short, simt::detail::Rounding::kDown>(h);
}
inline int __half2int_rn(__half h) {
  return simt::detail::float16_to_integer<int, simt::detail::Rounding::kNearest>(h);
}
inline int __half2int_rz(__half h) {
  return simt::detail::float16_to_integer<int, simt::detail::Rounding::kZero>(h);
}
inline int __half2int_ru(__half h) {
  return simt::detail::float16_to_integer<int, simt::detail::Rounding::kUp>(h);
}
inline int __half2int_rd(__half h) {
  return simt::detail::float16_to_integer<int, simt::detail::Rounding::kDown>(h);
}
inline unsigned __half2uint_rn(__half h) {
  return simt::detail::float16_to_integer<unsigned, simt::detail::Rounding::kNearest>(h);
}
inline unsigned __half2uint_rz(__half h) {
  return simt::detail::float16_to_integer<unsigned, simt::detail::Rounding::kZero>(h);
}
inline unsigned __half2uint_ru(__half h) {
  return simt::detail::float16_to_integer<unsigned, simt::detail::Rounding::kUp>(h);
}
inline unsigned __half2uint_rd(__half h) {
  return simt::detail::float16_to_integer<unsigned, simt::detail::Rounding::kDown>(h);
}
inline long long __half2ll_rn(__half h) {
  return simt::detail::float16_to_integer<long long, simt::detail::Rounding::kNearest>(h);
}
inline long long __half2ll_rz(__half h) {
  return simt::detail::float16_to_integer<long long, simt::detail::Rounding::kZero>(h);
}
inline long long __half2ll_ru(__half h) {
  return simt::detail::float16_to_integer<long long, simt::detail::Rounding::kUp>(h);
}
inline long long __half2ll_rd(__half h) {
  return simt::detail::float16_to_integer<long long, simt::detail::Rounding::kDown>(h);
}
inline unsigned long long __half2ull_rn(__half h) {
  return simt::detail::float16_to_integer<unsigned long long, simt::detail::Rounding::kNearest>(h);
}
inline unsigned long long __half2ull_rz(__half h) {
  return simt::detail::float16_to_integer<unsigned long long, simt::detail::Rounding::kZero>(h);
}
inline unsigned long long __half2ull_ru(__half h) {
  return simt::detail::float16_to_integer<unsigned long long, simt::detail::Rounding::kUp>(h);
}
inline unsigned long long __half2ull_rd(__half h) {
  return simt::detail::float16_to_integer<unsigned long long, simt::detail::Rounding::kDown>(h);
}
inline __half __short2half_rn(short i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kNearest);
}
inline __half __short2half_rz(short i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kZero);
}
inline __half __short2half_ru(short i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kUp);
}
inline __half __short2half_rd(short i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kDown);
}
inline __half __ushort2half_rn(unsigned short i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kNearest);
}
inline __half __ushort2half_rz(unsigned short i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kZero);
}
inline __half __ushort2half_ru(unsigned short i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kUp);
}
inline __half __ushort2half_rd(unsigned short i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kDown);
}
inline __half __int2half_rn(int i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kNearest);
}
inline __half __int2half_rz(int i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kZero);
}
inline __half __int2half_ru(int i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kUp);
}
inline __half __int2half_rd(int i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kDown);
}
inline __half __uint2half_rn(unsigned i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kNearest);
}
inline __half __uint2half_rz(unsigned i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kZero);
}
inline __half __uint2half_ru(unsigned i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kUp);
}
inline __half __uint2half_rd(unsigned i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kDown);
}
inline __half __ll2half_rn(long long i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kNearest);
}
inline __half __ll2half_rz(long long i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kZero);
}
inline __half __ll2half_ru(long long i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kUp);
}
inline __half __ll2half_rd(long long i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kDown);
}
inline __half __ull2half_rn(unsigned long long i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kNearest);
}
inline __half __ull2half_rz(unsigned long long i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kZero);
}
inline __half __ull2half_ru(unsigned long long i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kUp);
}
inline __half __ull2half_rd(unsigned long long i) {
  return simt::detail::integer_to_float16<__half>(i, simt::detail::Rounding::kDown);
}

// Bits.
inline short __half_as_short(__half h) { return static_cast<short>(simt::detail::bits16(h)); }
inline unsigned short __half_as_ushort(__half h) { return simt::detail::bits16(h); }
inline __half __short_as_half(short bits) {
  return simt::detail::from_bits16<__half>(static_cast<unsigned>(bits));
}
inline __half __ushort_as_half(unsigned short bits) {
  return simt::detail::from_bits16<__half>(bits);
}

// Pairs.
inline __half2 make_half2(__half x, __half y) { return __half2(x, y); }
inline __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
inline __half2 __half2half2(__half x) { return __half2(x, x); }
inline __half2 __float2half2_rn(float x) { return __half2half2(__float2half_rn(x)); }
inline __half2 __floats2half2_rn(float x, float y) {
  return __half2(__float2half_rn(x), __float2half_rn(y));
}
inline __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
inline float2 __half22float2(__half2 v) { return {__half2float(v.x), __half2float(v.y)}; }
inline __half __low2half(__half2 v) { return v.x; }
inline __half __high2half(__half2 v) { return v.y; }
inline __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
inline __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
inline __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
inline __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
inline __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
inline float __low2float(__half2 v) { return __half2float(v.x); }
inline float __high2float(__half2 v) { return __half2float(v.y); }
