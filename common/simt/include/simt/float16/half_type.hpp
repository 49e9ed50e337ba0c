/// @file
/// __half and __half2.
/// Source: CUDA Math API, "Half Precision Intrinsics".
#pragma once

#include <type_traits>

#include "simt/float16/half_bits.hpp"
#include "simt/float16/pair.hpp"
#include "simt/float16/scalar.hpp"
#include "simt/float16/to_integer.hpp"
#include "simt/warp.hpp"

struct __half;
struct __half2;

/// The bits of the types below, without their behaviour.
struct alignas(2) __half_raw {
  unsigned short x;
};
struct alignas(4) __half2_raw {
  unsigned short x, y;
};

template <>
struct simt::detail::Float16Traits<__half> {
  using Exact = float;
  static constexpr SmallFormat format = kHalfFormat;
  static float widen(__half h);
  static __half nearest(float x);
};

/// IEEE binary16: 1 sign, 5 exponent, 10 mantissa bits.
struct alignas(2) __half : simt::detail::Float16Scalar<__half> {
 private:
  using Rounding = simt::detail::Rounding;
  unsigned short bits_;

  template <class Int>
  Int truncated() const {
    return simt::detail::float16_to_integer<Int, Rounding::kZero>(*this);
  }
  template <class Int>
  __half& assign(Int i) {
    return *this = simt::detail::integer_to_float16<__half>(i);
  }

 public:
  __half() = default;
  constexpr __half(const __half_raw& raw) : bits_(raw.x) {}
  __half(float x) : bits_(simt::detail::half_bits(x)) {}
  __half(double x) : bits_(simt::detail::half_bits(simt::detail::float_to_odd(x))) {}
  template <class Int>
  requires std::is_integral_v<Int> __half(Int i) { assign(i); }

  operator __half_raw() const { return {bits_}; }
  operator float() const { return simt::detail::half_value(bits_); }
  operator bool() const { return (bits_ & 0x7FFFu) != 0; }
  operator char() const { return truncated<char>(); }
  operator signed char() const { return truncated<signed char>(); }
  operator unsigned char() const { return truncated<unsigned char>(); }
  operator short() const { return truncated<short>(); }
  operator unsigned short() const { return truncated<unsigned short>(); }
  operator int() const { return truncated<int>(); }
  operator unsigned() const { return truncated<unsigned>(); }
  operator long() const { return truncated<long>(); }
  operator unsigned long() const { return truncated<unsigned long>(); }
  operator long long() const { return truncated<long long>(); }
  operator unsigned long long() const { return truncated<unsigned long long>(); }

  __half& operator=(float x) { return *this = __half(x); }
  __half& operator=(double x) { return *this = __half(x); }
  template <class Int>
  requires std::is_integral_v<Int> __half& operator=(Int i) { return assign(i); }
};

inline float simt::detail::Float16Traits<__half>::widen(__half h) { return half_value(bits16(h)); }
inline __half simt::detail::Float16Traits<__half>::nearest(float x) {
  return from_bits16<__half>(half_bits(x));
}

/// Two of them in one 32-bit word, x in the low half.
struct alignas(4) __half2 : simt::detail::Float16Pair<__half2, __half> {
  __half x;
  __half y;

  __half2() = default;
  constexpr __half2(const __half& first, const __half& second) : x(first), y(second) {}
  constexpr __half2(const __half2_raw& raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  operator __half2_raw() const { return {simt::detail::bits16(x), simt::detail::bits16(y)}; }
};

static_assert(sizeof(__half) == 2 && std::is_trivially_copyable_v<__half> &&
              std::is_trivially_default_constructible_v<__half>);
static_assert(sizeof(__half2) == 4 && std::is_trivially_copyable_v<__half2> &&
              std::is_trivially_default_constructible_v<__half2>);

using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;

template <>
struct simt::Shuffled<__half> : std::true_type {};
template <>
struct simt::Shuffled<__half2> : std::true_type {};
