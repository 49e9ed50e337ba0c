/// @file
/// The operators and intrinsics that half and bfloat16 have in common. Each type derives from
/// Float16Scalar of itself and gets them as friends, found by argument.
///
/// Sums, products, quotients and roots are exact in float or double before their one rounding, so
/// every result is the exact one rounded to nearest even. A NaN result is 0x7FFF.
/// Source: CUDA Math API, "Half Arithmetic Functions", "Half Comparison Functions", "Half Math
/// Functions" and the same of bfloat16.
#pragma once

#include <math.h>

#include <bit>
#include <cstdint>

#include "simt/atomics.hpp"
#include "simt/float16/encode.hpp"

namespace simt::detail {

/// For each 16-bit type: `static float widen(H)`, `static H nearest(float)`, `static constexpr
/// SmallFormat format`, and `Exact`, the type in which a product of two is exact.
template <class H>
struct Float16Traits;

template <class H>
constexpr std::uint16_t bits16(H h) {
  return std::bit_cast<std::uint16_t>(h);
}
template <class H>
constexpr H from_bits16(unsigned bits) {
  return std::bit_cast<H>(static_cast<std::uint16_t>(bits));
}
template <class H>
inline float widen(H h) {
  return Float16Traits<H>::widen(h);
}
template <class H>
inline H narrow(float x) {
  return Float16Traits<H>::nearest(x);
}
/// For values that need more than a float's 24 bits.
template <class H>
inline H narrow_double(double x) {
  return narrow<H>(float_to_odd(x));
}
template <class H>
constexpr H narrow_directed(double x, Rounding mode) {
  return from_bits16<H>(encode_float16(Float16Traits<H>::format, x, mode));
}
template <class H>
constexpr bool is_nan16(H h) {
  return (bits16(h) & 0x7FFFu) > Float16Traits<H>::format.infinity;
}
/// [0, 1], NaN to +0.
inline float clamp_to_unit(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

/// Rounded once: `Exact` is a type in which the product of two H is exact.
template <class H>
inline H fused_multiply_add(H a, H b, H c) {
  using Exact = typename Float16Traits<H>::Exact;
  const Exact sum = fused_to_odd<Exact>(widen(a), widen(b), widen(c));
  if constexpr (sizeof(Exact) == 4) {
    return narrow<H>(sum);
  } else {
    return narrow_double<H>(sum);
  }
}

/// The larger (or with kMin the smaller) of two; -0 counts as less than +0.
template <bool kMin, class H>
inline H extremum(H a, H b) {
  const float x = widen(a), y = widen(b);
  const bool first = x == y ? ((bits16(a) & 0x8000u) == 0) != kMin : (kMin ? x < y : x > y);
  return first ? a : b;
}

template <class H>
struct Float16Scalar {
  static constexpr std::uint16_t kNan = 0x7FFF;

  // Arithmetic. `_sat` clamps to [0, 1]; `_relu` to at least 0.
  friend H __hadd(H a, H b) { return narrow<H>(widen(a) + widen(b)); }
  friend H __hsub(H a, H b) { return narrow<H>(widen(a) - widen(b)); }
  friend H __hmul(H a, H b) { return narrow<H>(widen(a) * widen(b)); }
  friend H __hadd_rn(H a, H b) { return __hadd(a, b); }
  friend H __hsub_rn(H a, H b) { return __hsub(a, b); }
  friend H __hmul_rn(H a, H b) { return __hmul(a, b); }
  friend H __hdiv(H a, H b) {
    return narrow_double<H>(static_cast<double>(widen(a)) / static_cast<double>(widen(b)));
  }
  friend H __hfma(H a, H b, H c) { return fused_multiply_add(a, b, c); }
  friend H __hadd_sat(H a, H b) { return narrow<H>(clamp_to_unit(widen(__hadd(a, b)))); }
  friend H __hsub_sat(H a, H b) { return narrow<H>(clamp_to_unit(widen(__hsub(a, b)))); }
  friend H __hmul_sat(H a, H b) { return narrow<H>(clamp_to_unit(widen(__hmul(a, b)))); }
  friend H __hfma_sat(H a, H b, H c) { return narrow<H>(clamp_to_unit(widen(__hfma(a, b, c)))); }
  friend H __hfma_relu(H a, H b, H c) {
    const H r = __hfma(a, b, c);
    return is_nan16(r) || (bits16(r) & 0x8000u) == 0 ? r : from_bits16<H>(0);
  }
  friend H __hneg(H a) {
    return is_nan16(a) ? from_bits16<H>(kNan) : from_bits16<H>(bits16(a) ^ 0x8000u);
  }
  friend H __habs(H a) {
    return is_nan16(a) ? from_bits16<H>(kNan) : from_bits16<H>(bits16(a) & 0x7FFFu);
  }

  // Comparisons. The plain ones are false, the `u` ones (unordered) true where a NaN takes part.
  friend bool __heq(H a, H b) { return widen(a) == widen(b); }
  friend bool __hlt(H a, H b) { return widen(a) < widen(b); }
  friend bool __hle(H a, H b) { return widen(a) <= widen(b); }
  friend bool __hgt(H a, H b) { return widen(a) > widen(b); }
  friend bool __hge(H a, H b) { return widen(a) >= widen(b); }
  friend bool __hne(H a, H b) { return __hlt(a, b) || __hgt(a, b); }
  friend bool __hequ(H a, H b) { return !__hne(a, b); }
  friend bool __hneu(H a, H b) { return !__heq(a, b); }
  friend bool __hltu(H a, H b) { return !__hge(a, b); }
  friend bool __hleu(H a, H b) { return !__hgt(a, b); }
  friend bool __hgtu(H a, H b) { return !__hle(a, b); }
  friend bool __hgeu(H a, H b) { return !__hlt(a, b); }
  friend bool __hisnan(H a) { return is_nan16(a); }
  /// -1 for minus infinity, 1 for plus infinity, else 0.
  friend int __hisinf(H a) {
    if ((bits16(a) & 0x7FFFu) != Float16Traits<H>::format.infinity) return 0;
    return (bits16(a) & 0x8000u) != 0 ? -1 : 1;
  }
  /// A NaN loses against a number; the `_nan` forms pass it on.
  friend H __hmax(H a, H b) {
    if (is_nan16(a)) return is_nan16(b) ? from_bits16<H>(kNan) : b;
    return is_nan16(b) ? a : extremum<false>(a, b);
  }
  friend H __hmin(H a, H b) {
    if (is_nan16(a)) return is_nan16(b) ? from_bits16<H>(kNan) : b;
    return is_nan16(b) ? a : extremum<true>(a, b);
  }
  friend H __hmax_nan(H a, H b) {
    return is_nan16(a) || is_nan16(b) ? from_bits16<H>(kNan) : extremum<false>(a, b);
  }
  friend H __hmin_nan(H a, H b) {
    return is_nan16(a) || is_nan16(b) ? from_bits16<H>(kNan) : extremum<true>(a, b);
  }

  // Mathematics: computed in float or double and rounded once more.
  friend H hsqrt(H a) { return narrow_double<H>(::sqrt(static_cast<double>(widen(a)))); }
  friend H hrsqrt(H a) { return narrow_double<H>(1.0 / ::sqrt(static_cast<double>(widen(a)))); }
  friend H hrcp(H a) { return narrow_double<H>(1.0 / static_cast<double>(widen(a))); }
  friend H hexp(H a) { return narrow<H>(::expf(widen(a))); }
  friend H hexp2(H a) { return narrow<H>(::exp2f(widen(a))); }
  friend H hexp10(H a) { return narrow<H>(::exp10f(widen(a))); }
  friend H hlog(H a) { return narrow<H>(::logf(widen(a))); }
  friend H hlog2(H a) { return narrow<H>(::log2f(widen(a))); }
  friend H hlog10(H a) { return narrow<H>(::log10f(widen(a))); }
  friend H hsin(H a) { return narrow<H>(::sinf(widen(a))); }
  friend H hcos(H a) { return narrow<H>(::cosf(widen(a))); }
  friend H htanh(H a) { return narrow<H>(::tanhf(widen(a))); }
  friend H htanh_approx(H a) { return htanh(a); }
  friend H hceil(H a) { return narrow<H>(::ceilf(widen(a))); }
  friend H hfloor(H a) { return narrow<H>(::floorf(widen(a))); }
  friend H htrunc(H a) { return narrow<H>(::truncf(widen(a))); }
  friend H hrint(H a) { return narrow<H>(::rintf(widen(a))); }

  // Operators.
  friend H operator+(const H& a, const H& b) { return __hadd(a, b); }
  friend H operator-(const H& a, const H& b) { return __hsub(a, b); }
  friend H operator*(const H& a, const H& b) { return __hmul(a, b); }
  friend H operator/(const H& a, const H& b) { return __hdiv(a, b); }
  friend H operator+(const H& a) { return a; }
  friend H operator-(const H& a) { return __hneg(a); }
  friend H& operator+=(H& a, const H& b) { return a = __hadd(a, b); }
  friend H& operator-=(H& a, const H& b) { return a = __hsub(a, b); }
  friend H& operator*=(H& a, const H& b) { return a = __hmul(a, b); }
  friend H& operator/=(H& a, const H& b) { return a = __hdiv(a, b); }
  friend H& operator++(H& a) { return a = __hadd(a, H(1.0f)); }
  friend H& operator--(H& a) { return a = __hsub(a, H(1.0f)); }
  friend H operator++(H& a, int) {
    const H old = a;
    ++a;
    return old;
  }
  friend H operator--(H& a, int) {
    const H old = a;
    --a;
    return old;
  }
  friend bool operator==(const H& a, const H& b) { return __heq(a, b); }
  friend bool operator!=(const H& a, const H& b) { return __hneu(a, b); }
  friend bool operator<(const H& a, const H& b) { return __hlt(a, b); }
  friend bool operator<=(const H& a, const H& b) { return __hle(a, b); }
  friend bool operator>(const H& a, const H& b) { return __hgt(a, b); }
  friend bool operator>=(const H& a, const H& b) { return __hge(a, b); }

  [[gnu::always_inline]] friend H atomicAdd(H* p, H v) {
    return atomic_update(p, [v](H old) { return __hadd(old, v); });
  }
};

}  // namespace simt::detail
