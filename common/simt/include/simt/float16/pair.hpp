/// @file
/// The operators and intrinsics that half2 and bfloat162 have in common: each works on the two
/// elements on their own. They are friends, found by argument, as those of the single types are.
/// Source: CUDA Math API, "Half2 Arithmetic Functions", "Half2 Comparison Functions", "Half2 Math
/// Functions" and the same of bfloat162.
#pragma once

#include "simt/float16/scalar.hpp"

namespace simt::detail {

template <class P, class H>
struct Float16Pair {
  // Arithmetic.
  friend P __hadd2(P a, P b) { return P(__hadd(a.x, b.x), __hadd(a.y, b.y)); }
  friend P __hsub2(P a, P b) { return P(__hsub(a.x, b.x), __hsub(a.y, b.y)); }
  friend P __hmul2(P a, P b) { return P(__hmul(a.x, b.x), __hmul(a.y, b.y)); }
  friend P __hadd2_rn(P a, P b) { return __hadd2(a, b); }
  friend P __hsub2_rn(P a, P b) { return __hsub2(a, b); }
  friend P __hmul2_rn(P a, P b) { return __hmul2(a, b); }
  friend P __h2div(P a, P b) { return P(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }
  friend P __hfma2(P a, P b, P c) { return P(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
  friend P __hadd2_sat(P a, P b) { return P(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); }
  friend P __hsub2_sat(P a, P b) { return P(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)); }
  friend P __hmul2_sat(P a, P b) { return P(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); }
  friend P __hfma2_sat(P a, P b, P c) {
    return P(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
  }
  friend P __hfma2_relu(P a, P b, P c) {
    return P(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
  }
  /// Complex multiply-add: x is the real, y the imaginary part.
  friend P __hcmadd(P a, P b, P c) {
    return P(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),
             __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
  }
  friend P __hneg2(P a) { return P(__hneg(a.x), __hneg(a.y)); }
  friend P __habs2(P a) { return P(__habs(a.x), __habs(a.y)); }
  friend P __hmax2(P a, P b) { return P(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
  friend P __hmin2(P a, P b) { return P(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
  friend P __hmax2_nan(P a, P b) { return P(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
  friend P __hmin2_nan(P a, P b) { return P(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }

  // Comparisons: 1.0 or 0.0 each (`__heq2`), true if it holds for both (`__hbeq2`), all ones or
  // zeros each (`__heq2_mask`).
  friend P __heq2(P a, P b) { return truth(__heq(a.x, b.x), __heq(a.y, b.y)); }
  friend bool __hbeq2(P a, P b) { return __heq(a.x, b.x) && __heq(a.y, b.y); }
  friend unsigned __heq2_mask(P a, P b) { return mask(__heq(a.x, b.x), __heq(a.y, b.y)); }
  friend P __hequ2(P a, P b) { return truth(__hequ(a.x, b.x), __hequ(a.y, b.y)); }
  friend bool __hbequ2(P a, P b) { return __hequ(a.x, b.x) && __hequ(a.y, b.y); }
  friend unsigned __hequ2_mask(P a, P b) { return mask(__hequ(a.x, b.x), __hequ(a.y, b.y)); }
  friend P __hne2(P a, P b) { return truth(__hne(a.x, b.x), __hne(a.y, b.y)); }
  friend bool __hbne2(P a, P b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
  friend unsigned __hne2_mask(P a, P b) { return mask(__hne(a.x, b.x), __hne(a.y, b.y)); }
  friend P __hneu2(P a, P b) { return truth(__hneu(a.x, b.x), __hneu(a.y, b.y)); }
  friend bool __hbneu2(P a, P b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }
  friend unsigned __hneu2_mask(P a, P b) { return mask(__hneu(a.x, b.x), __hneu(a.y, b.y)); }
  friend P __hlt2(P a, P b) { return truth(__hlt(a.x, b.x), __hlt(a.y, b.y)); }
  friend bool __hblt2(P a, P b) { return __hlt(a.x, b.x) && __hlt(a.y, b.y); }
  friend unsigned __hlt2_mask(P a, P b) { return mask(__hlt(a.x, b.x), __hlt(a.y, b.y)); }
  friend P __hltu2(P a, P b) { return truth(__hltu(a.x, b.x), __hltu(a.y, b.y)); }
  friend bool __hbltu2(P a, P b) { return __hltu(a.x, b.x) && __hltu(a.y, b.y); }
  friend unsigned __hltu2_mask(P a, P b) { return mask(__hltu(a.x, b.x), __hltu(a.y, b.y)); }
  friend P __hle2(P a, P b) { return truth(__hle(a.x, b.x), __hle(a.y, b.y)); }
  friend bool __hble2(P a, P b) { return __hle(a.x, b.x) && __hle(a.y, b.y); }
  friend unsigned __hle2_mask(P a, P b) { return mask(__hle(a.x, b.x), __hle(a.y, b.y)); }
  friend P __hleu2(P a, P b) { return truth(__hleu(a.x, b.x), __hleu(a.y, b.y)); }
  friend bool __hbleu2(P a, P b) { return __hleu(a.x, b.x) && __hleu(a.y, b.y); }
  friend unsigned __hleu2_mask(P a, P b) { return mask(__hleu(a.x, b.x), __hleu(a.y, b.y)); }
  friend P __hgt2(P a, P b) { return truth(__hgt(a.x, b.x), __hgt(a.y, b.y)); }
  friend bool __hbgt2(P a, P b) { return __hgt(a.x, b.x) && __hgt(a.y, b.y); }
  friend unsigned __hgt2_mask(P a, P b) { return mask(__hgt(a.x, b.x), __hgt(a.y, b.y)); }
  friend P __hgtu2(P a, P b) { return truth(__hgtu(a.x, b.x), __hgtu(a.y, b.y)); }
  friend bool __hbgtu2(P a, P b) { return __hgtu(a.x, b.x) && __hgtu(a.y, b.y); }
  friend unsigned __hgtu2_mask(P a, P b) { return mask(__hgtu(a.x, b.x), __hgtu(a.y, b.y)); }
  friend P __hge2(P a, P b) { return truth(__hge(a.x, b.x), __hge(a.y, b.y)); }
  friend bool __hbge2(P a, P b) { return __hge(a.x, b.x) && __hge(a.y, b.y); }
  friend unsigned __hge2_mask(P a, P b) { return mask(__hge(a.x, b.x), __hge(a.y, b.y)); }
  friend P __hgeu2(P a, P b) { return truth(__hgeu(a.x, b.x), __hgeu(a.y, b.y)); }
  friend bool __hbgeu2(P a, P b) { return __hgeu(a.x, b.x) && __hgeu(a.y, b.y); }
  friend unsigned __hgeu2_mask(P a, P b) { return mask(__hgeu(a.x, b.x), __hgeu(a.y, b.y)); }
  friend P __hisnan2(P a) { return truth(__hisnan(a.x), __hisnan(a.y)); }

  // Mathematics.
  friend P h2sqrt(P a) { return P(hsqrt(a.x), hsqrt(a.y)); }
  friend P h2rsqrt(P a) { return P(hrsqrt(a.x), hrsqrt(a.y)); }
  friend P h2rcp(P a) { return P(hrcp(a.x), hrcp(a.y)); }
  friend P h2exp(P a) { return P(hexp(a.x), hexp(a.y)); }
  friend P h2exp2(P a) { return P(hexp2(a.x), hexp2(a.y)); }
  friend P h2exp10(P a) { return P(hexp10(a.x), hexp10(a.y)); }
  friend P h2log(P a) { return P(hlog(a.x), hlog(a.y)); }
  friend P h2log2(P a) { return P(hlog2(a.x), hlog2(a.y)); }
  friend P h2log10(P a) { return P(hlog10(a.x), hlog10(a.y)); }
  friend P h2sin(P a) { return P(hsin(a.x), hsin(a.y)); }
  friend P h2cos(P a) { return P(hcos(a.x), hcos(a.y)); }
  friend P h2tanh(P a) { return P(htanh(a.x), htanh(a.y)); }
  friend P h2tanh_approx(P a) { return P(htanh_approx(a.x), htanh_approx(a.y)); }
  friend P h2ceil(P a) { return P(hceil(a.x), hceil(a.y)); }
  friend P h2floor(P a) { return P(hfloor(a.x), hfloor(a.y)); }
  friend P h2trunc(P a) { return P(htrunc(a.x), htrunc(a.y)); }
  friend P h2rint(P a) { return P(hrint(a.x), hrint(a.y)); }

  // Operators.
  friend P operator+(const P& a, const P& b) { return __hadd2(a, b); }
  friend P operator-(const P& a, const P& b) { return __hsub2(a, b); }
  friend P operator*(const P& a, const P& b) { return __hmul2(a, b); }
  friend P operator/(const P& a, const P& b) { return __h2div(a, b); }
  friend P operator+(const P& a) { return a; }
  friend P operator-(const P& a) { return __hneg2(a); }
  friend P& operator+=(P& a, const P& b) { return a = __hadd2(a, b); }
  friend P& operator-=(P& a, const P& b) { return a = __hsub2(a, b); }
  friend P& operator*=(P& a, const P& b) { return a = __hmul2(a, b); }
  friend P& operator/=(P& a, const P& b) { return a = __h2div(a, b); }
  friend P& operator++(P& a) {
    ++a.x;
    ++a.y;
    return a;
  }
  friend P& operator--(P& a) {
    --a.x;
    --a.y;
    return a;
  }
  friend P operator++(P& a, int) {
    const P old = a;
    ++a;
    return old;
  }
  friend P operator--(P& a, int) {
    const P old = a;
    --a;
    return old;
  }
  friend bool operator==(const P& a, const P& b) { return __hbeq2(a, b); }
  friend bool operator!=(const P& a, const P& b) { return __hbneu2(a, b); }
  friend bool operator<(const P& a, const P& b) { return __hblt2(a, b); }
  friend bool operator<=(const P& a, const P& b) { return __hble2(a, b); }
  friend bool operator>(const P& a, const P& b) { return __hbgt2(a, b); }
  friend bool operator>=(const P& a, const P& b) { return __hbge2(a, b); }

  /// Adds both elements in one step.
  [[gnu::always_inline]] friend P atomicAdd(P* p, P v) {
    return atomic_update(p, [v](P old) { return __hadd2(old, v); });
  }

 private:
  static P truth(bool x, bool y) { return P(H(x ? 1.0f : 0.0f), H(y ? 1.0f : 0.0f)); }
  static unsigned mask(bool x, bool y) { return (x ? 0xFFFFu : 0u) | (y ? 0xFFFF0000u : 0u); }
};

}  // namespace simt::detail
