/// @file
/// The FP8 types E4M3 and E5M2, one, two or four in a word. Constructors saturate; the types only
/// convert, they do not compute.
/// Source: CUDA Math API, "FP8 Intrinsics".
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include <type_traits>

#include "simt/fp8/convert.hpp"

namespace simt::detail {

template <__nv_fp8_interpretation_t kKind>
struct Fp8 {
  __nv_fp8_storage_t __x;

  Fp8() = default;
  explicit Fp8(float x) : __x(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, kKind)) {}
  explicit Fp8(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kKind)) {}
  explicit Fp8(__half x) : __x(__nv_cvt_halfraw_to_fp8(x, __NV_SATFINITE, kKind)) {}
  explicit Fp8(__nv_bfloat16 x) : __x(__nv_cvt_bfloat16raw_to_fp8(x, __NV_SATFINITE, kKind)) {}
  template <class Int>
  requires std::is_integral_v<Int>
  explicit Fp8(Int i) : Fp8(integer_to_odd(i)) {}

  explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kKind)); }
  explicit operator float() const { return __half2float(__nv_cvt_fp8_to_halfraw(__x, kKind)); }
  explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }
  explicit operator __nv_bfloat16() const { return __float2bfloat16(static_cast<float>(*this)); }
  explicit operator bool() const { return (__x & 0x7F) != 0; }
  /// Towards zero, saturated; NaN as half's conversions have it.
  template <class Int>
  requires std::is_integral_v<Int>
  explicit operator Int() const {
    return float16_to_integer<Int, Rounding::kZero>(static_cast<__half>(*this));
  }
};

template <__nv_fp8_interpretation_t kKind>
struct alignas(2) Fp8x2 {
  __nv_fp8x2_storage_t __x;

  Fp8x2() = default;
  explicit Fp8x2(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kKind)) {}
  explicit Fp8x2(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kKind)) {}
  explicit Fp8x2(__half2 v) : __x(__nv_cvt_halfraw2_to_fp8x2(v, __NV_SATFINITE, kKind)) {}
  explicit Fp8x2(__nv_bfloat162 v)
      : __x(__nv_cvt_bfloat16raw2_to_fp8x2(v, __NV_SATFINITE, kKind)) {}

  explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kKind)); }
  explicit operator float2() const { return __half22float2(static_cast<__half2>(*this)); }
};

template <__nv_fp8_interpretation_t kKind>
struct alignas(4) Fp8x4 {
  __nv_fp8x4_storage_t __x;

  Fp8x4() = default;
  explicit Fp8x4(float4 v) : Fp8x4(Pair(float2{v.x, v.y}), Pair(float2{v.z, v.w})) {}
  explicit Fp8x4(__half2 low, __half2 high) : Fp8x4(Pair(low), Pair(high)) {}
  explicit Fp8x4(__nv_bfloat162 low, __nv_bfloat162 high) : Fp8x4(Pair(low), Pair(high)) {}

  explicit operator float4() const {
    const float2 low = static_cast<float2>(half(0)), high = static_cast<float2>(half(16));
    return {low.x, low.y, high.x, high.y};
  }

 private:
  using Pair = Fp8x2<kKind>;
  Fp8x4(Pair low, Pair high) : __x(low.__x | static_cast<unsigned>(high.__x) << 16) {}
  Pair half(unsigned shift) const {
    Pair pair;
    pair.__x = static_cast<__nv_fp8x2_storage_t>(__x >> shift);
    return pair;
  }
};

}  // namespace simt::detail

/// 1 sign, 4 exponent, 3 mantissa bits; largest 448, no infinity, one NaN.
struct __nv_fp8_e4m3 : simt::detail::Fp8<__NV_E4M3> {
  using Fp8::Fp8;
};
/// 1 sign, 5 exponent, 2 mantissa bits; largest 57344, infinity and NaN as IEEE formats have them.
struct __nv_fp8_e5m2 : simt::detail::Fp8<__NV_E5M2> {
  using Fp8::Fp8;
};
struct __nv_fp8x2_e4m3 : simt::detail::Fp8x2<__NV_E4M3> {
  using Fp8x2::Fp8x2;
};
struct __nv_fp8x2_e5m2 : simt::detail::Fp8x2<__NV_E5M2> {
  using Fp8x2::Fp8x2;
};
struct __nv_fp8x4_e4m3 : simt::detail::Fp8x4<__NV_E4M3> {
  using Fp8x4::Fp8x4;
};
struct __nv_fp8x4_e5m2 : simt::detail::Fp8x4<__NV_E5M2> {
  using Fp8x4::Fp8x4;
};

static_assert(sizeof(__nv_fp8_e4m3) == 1 && std::is_trivially_copyable_v<__nv_fp8_e4m3> &&
              std::is_trivially_default_constructible_v<__nv_fp8_e4m3>);
static_assert(sizeof(__nv_fp8x2_e4m3) == 2 && sizeof(__nv_fp8x4_e4m3) == 4);

#endif
