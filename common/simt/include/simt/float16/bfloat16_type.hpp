/// @file
/// __nv_bfloat16 and __nv_bfloat162.
/// Source: CUDA Math API, "Bfloat16 Precision Intrinsics".
#pragma once

#include <type_traits>

#include "simt/float16/half_bits.hpp"
#include "simt/float16/pair.hpp"
#include "simt/float16/scalar.hpp"
#include "simt/float16/to_integer.hpp"
#include "simt/warp.hpp"

struct __nv_bfloat16;
struct __nv_bfloat162;

/// The bits of the types below, without their behaviour.
struct alignas(2) __nv_bfloat16_raw {
  unsigned short x;
};
struct alignas(4) __nv_bfloat162_raw {
  unsigned short x, y;
};

template <>
struct simt::detail::Float16Traits<__nv_bfloat16> {
  using Exact = double;
  static constexpr SmallFormat format = kBfloat16Format;
  static float widen(__nv_bfloat16 h);
  static __nv_bfloat16 nearest(float x);
};

/// bfloat16: 1 sign, 8 exponent, 7 mantissa bits.
struct alignas(2) __nv_bfloat16 : simt::detail::Float16Scalar<__nv_bfloat16> {
 private:
  using Rounding = simt::detail::Rounding;
  unsigned short bits_;

  template <class Int>
  Int truncated() const {
    return simt::detail::float16_to_integer<Int, Rounding::kZero>(*this);
  }
  template <class Int>
  __nv_bfloat16& assign(Int i) {
    return *this = simt::detail::integer_to_float16<__nv_bfloat16>(i);
  }

 public:
  __nv_bfloat16() = default;
  constexpr __nv_bfloat16(const __nv_bfloat16_raw& raw) : bits_(raw.x) {}
  __nv_bfloat16(float x) : bits_(simt::detail::bfloat16_bits(x)) {}
  __nv_bfloat16(double x) : bits_(simt::detail::bfloat16_bits(simt::detail::float_to_odd(x))) {}
  template <class Int>
  requires std::is_integral_v<Int> __nv_bfloat16(Int i) { assign(i); }

  operator __nv_bfloat16_raw() const { return {bits_}; }
  operator float() const { return simt::detail::bfloat16_value(bits_); }
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

  __nv_bfloat16& operator=(float x) { return *this = __nv_bfloat16(x); }
  __nv_bfloat16& operator=(double x) { return *this = __nv_bfloat16(x); }
  template <class Int>
  requires std::is_integral_v<Int> __nv_bfloat16& operator=(Int i) { return assign(i); }
};

inline float simt::detail::Float16Traits<__nv_bfloat16>::widen(__nv_bfloat16 h) {
  return bfloat16_value(bits16(h));
}
inline __nv_bfloat16 simt::detail::Float16Traits<__nv_bfloat16>::nearest(float x) {
  return from_bits16<__nv_bfloat16>(bfloat16_bits(x));
}

/// Two of them in one 32-bit word, x in the low half.
struct alignas(4) __nv_bfloat162 : simt::detail::Float16Pair<__nv_bfloat162, __nv_bfloat16> {
  __nv_bfloat16 x;
  __nv_bfloat16 y;

  __nv_bfloat162() = default;
  constexpr __nv_bfloat162(const __nv_bfloat16& first, const __nv_bfloat16& second)
      : x(first), y(second) {}
  constexpr __nv_bfloat162(const __nv_bfloat162_raw& raw)
      : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
  operator __nv_bfloat162_raw() const { return {simt::detail::bits16(x), simt::detail::bits16(y)}; }
};

static_assert(sizeof(__nv_bfloat16) == 2 && std::is_trivially_copyable_v<__nv_bfloat16> &&
              std::is_trivially_default_constructible_v<__nv_bfloat16>);
static_assert(sizeof(__nv_bfloat162) == 4 && std::is_trivially_copyable_v<__nv_bfloat162> &&
              std::is_trivially_default_constructible_v<__nv_bfloat162>);

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

template <>
struct simt::Shuffled<__nv_bfloat16> : std::true_type {};
template <>
struct simt::Shuffled<__nv_bfloat162> : std::true_type {};
