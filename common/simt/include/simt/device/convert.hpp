/// @file
/// Conversions between numbers with the rounding mode in the name, and casts of bits.
/// A float beyond the integer's range saturates. NaN becomes 0; where float or double becomes a
/// 64-bit integer, or double any integer, NaN becomes the integer with only its top bit set.
/// Source: CUDA Math API, "Type Casting Intrinsics"; PTX ISA, "cvt".
#pragma once

#include <math.h>

#include <bit>
#include <limits>
#include <type_traits>

#include "simt/device/rounding.hpp"

namespace simt::detail {

/// An integral-valued float or double as Int, saturated; NaN as PTX's cvt has it.
template <class Int, class Float>
inline Int saturated(Float x) {
  using Limits = std::numeric_limits<Int>;
  if (x != x) {
    constexpr bool kZero = sizeof(Float) == 4 && sizeof(Int) == 4;
    using Unsigned = std::make_unsigned_t<Int>;
    return kZero ? Int{0} : static_cast<Int>(Unsigned{1} << (8 * sizeof(Int) - 1));
  }
  // 2^digits is a power of two, exact in both float types.
  const Float above = static_cast<Float>(2) * static_cast<Float>(Limits::max() / 2 + 1);
  if (x >= above) return Limits::max();
  if (x < static_cast<Float>(Limits::min())) return Limits::min();
  return static_cast<Int>(x);
}

template <class Int>
inline Int to_integer_rn(float x) {
  return saturated<Int>(::rintf(x));
}
template <class Int>
inline Int to_integer_rz(float x) {
  return saturated<Int>(::truncf(x));
}
template <class Int>
inline Int to_integer_ru(float x) {
  return saturated<Int>(::ceilf(x));
}
template <class Int>
inline Int to_integer_rd(float x) {
  return saturated<Int>(::floorf(x));
}
template <class Int>
inline Int to_integer_rn(double x) {
  return saturated<Int>(::rint(x));
}
template <class Int>
inline Int to_integer_rz(double x) {
  return saturated<Int>(::trunc(x));
}
template <class Int>
inline Int to_integer_ru(double x) {
  return saturated<Int>(::ceil(x));
}
template <class Int>
inline Int to_integer_rd(double x) {
  return saturated<Int>(::floor(x));
}

template <class To>
struct CastTo {
  template <class From>
  To operator()(From x) const {
    return static_cast<To>(x);
  }
};

}  // namespace simt::detail

inline int __float2int_rn(float x) { return simt::detail::to_integer_rn<int>(x); }
inline int __float2int_rz(float x) { return simt::detail::to_integer_rz<int>(x); }
inline int __float2int_ru(float x) { return simt::detail::to_integer_ru<int>(x); }
inline int __float2int_rd(float x) { return simt::detail::to_integer_rd<int>(x); }
inline unsigned __float2uint_rn(float x) { return simt::detail::to_integer_rn<unsigned>(x); }
inline unsigned __float2uint_rz(float x) { return simt::detail::to_integer_rz<unsigned>(x); }
inline unsigned __float2uint_ru(float x) { return simt::detail::to_integer_ru<unsigned>(x); }
inline unsigned __float2uint_rd(float x) { return simt::detail::to_integer_rd<unsigned>(x); }
inline long long __float2ll_rn(float x) { return simt::detail::to_integer_rn<long long>(x); }
inline long long __float2ll_rz(float x) { return simt::detail::to_integer_rz<long long>(x); }
inline long long __float2ll_ru(float x) { return simt::detail::to_integer_ru<long long>(x); }
inline long long __float2ll_rd(float x) { return simt::detail::to_integer_rd<long long>(x); }
inline unsigned long long __float2ull_rn(float x) {
  return simt::detail::to_integer_rn<unsigned long long>(x);
}
inline unsigned long long __float2ull_rz(float x) {
  return simt::detail::to_integer_rz<unsigned long long>(x);
}
inline unsigned long long __float2ull_ru(float x) {
  return simt::detail::to_integer_ru<unsigned long long>(x);
}
inline unsigned long long __float2ull_rd(float x) {
  return simt::detail::to_integer_rd<unsigned long long>(x);
}

inline int __double2int_rn(double x) { return simt::detail::to_integer_rn<int>(x); }
inline int __double2int_rz(double x) { return simt::detail::to_integer_rz<int>(x); }
inline int __double2int_ru(double x) { return simt::detail::to_integer_ru<int>(x); }
inline int __double2int_rd(double x) { return simt::detail::to_integer_rd<int>(x); }
inline unsigned __double2uint_rn(double x) { return simt::detail::to_integer_rn<unsigned>(x); }
inline unsigned __double2uint_rz(double x) { return simt::detail::to_integer_rz<unsigned>(x); }
inline unsigned __double2uint_ru(double x) { return simt::detail::to_integer_ru<unsigned>(x); }
inline unsigned __double2uint_rd(double x) { return simt::detail::to_integer_rd<unsigned>(x); }
inline long long __double2ll_rn(double x) { return simt::detail::to_integer_rn<long long>(x); }
inline long long __double2ll_rz(double x) { return simt::detail::to_integer_rz<long long>(x); }
inline long long __double2ll_ru(double x) { return simt::detail::to_integer_ru<long long>(x); }
inline long long __double2ll_rd(double x) { return simt::detail::to_integer_rd<long long>(x); }
inline unsigned long long __double2ull_rn(double x) {
  return simt::detail::to_integer_rn<unsigned long long>(x);
}
inline unsigned long long __double2ull_rz(double x) {
  return simt::detail::to_integer_rz<unsigned long long>(x);
}
inline unsigned long long __double2ull_ru(double x) {
  return simt::detail::to_integer_ru<unsigned long long>(x);
}
inline unsigned long long __double2ull_rd(double x) {
  return simt::detail::to_integer_rd<unsigned long long>(x);
}

inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __int2float_rz(int x) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::CastTo<float>{}, x);
}
inline float __int2float_ru(int x) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::CastTo<float>{}, x);
}
inline float __int2float_rd(int x) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::CastTo<float>{}, x);
}
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __uint2float_rz(unsigned x) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::CastTo<float>{}, x);
}
inline float __uint2float_ru(unsigned x) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::CastTo<float>{}, x);
}
inline float __uint2float_rd(unsigned x) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::CastTo<float>{}, x);
}
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ll2float_rz(long long x) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::CastTo<float>{}, x);
}
inline float __ll2float_ru(long long x) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::CastTo<float>{}, x);
}
inline float __ll2float_rd(long long x) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::CastTo<float>{}, x);
}
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline float __ull2float_rz(unsigned long long x) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::CastTo<float>{}, x);
}
inline float __ull2float_ru(unsigned long long x) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::CastTo<float>{}, x);
}
inline float __ull2float_rd(unsigned long long x) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::CastTo<float>{}, x);
}
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ll2double_rz(long long x) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::CastTo<double>{}, x);
}
inline double __ll2double_ru(long long x) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::CastTo<double>{}, x);
}
inline double __ll2double_rd(long long x) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::CastTo<double>{}, x);
}
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
inline double __ull2double_rz(unsigned long long x) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::CastTo<double>{}, x);
}
inline double __ull2double_ru(unsigned long long x) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::CastTo<double>{}, x);
}
inline double __ull2double_rd(unsigned long long x) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::CastTo<double>{}, x);
}
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline float __double2float_rz(double x) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::CastTo<float>{}, x);
}
inline float __double2float_ru(double x) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::CastTo<float>{}, x);
}
inline float __double2float_rd(double x) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::CastTo<float>{}, x);
}

inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline int __double2hiint(double x) {
  return static_cast<int>(std::bit_cast<unsigned long long>(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(std::bit_cast<unsigned long long>(x));
}
inline double __hiloint2double(int hi, int lo) {
  return std::bit_cast<double>(static_cast<unsigned long long>(static_cast<unsigned>(hi)) << 32 |
                               static_cast<unsigned>(lo));
}
