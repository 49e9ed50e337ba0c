/// @file
/// The functions that CUDA adds to the C mathematics library: reciprocal roots, inverse error
/// functions, the normal distribution, norms, multiples of pi, Bessel functions.
/// Source: CUDA Math API, "Single Precision" and "Double Precision Mathematical Functions".
#pragma once

#include <math.h>
#include <stddef.h>

#include <cmath>

namespace simt::detail {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kSqrtHalf = 0.70710678118654752440;
inline constexpr double kTwoOverSqrtPi = 1.12837916709551257390;

/// Inverse of erf on (-1, 1) and of erfc on (0, 2), solved by Newton with Halley's correction.
inline double inverse_erf(double x);
inline double inverse_erfc(double x);
/// exp(x*x) * erfc(x) without overflow.
inline double scaled_erfc(double x);

/// sin(pi * x), exact at multiples of one half.
inline double sin_pi(double x) {
  const double r = ::fmod(x, 2.0);
  const double magnitude = ::fabs(r);
  if (magnitude == 0.0 || magnitude == 1.0) return ::copysign(0.0, x);
  if (magnitude <= 0.25) return ::sin(kPi * r);
  if (magnitude < 0.75) return ::copysign(::cos(kPi * (0.5 - magnitude)), r);
  if (magnitude <= 1.25) return ::copysign(1.0, r) * ::sin(kPi * (1.0 - magnitude));
  if (magnitude < 1.75) return ::copysign(1.0, r) * -::cos(kPi * (magnitude - 1.5));
  return ::copysign(1.0, r) * ::sin(kPi * (magnitude - 2.0));
}

/// cos(pi * x), exact at multiples of one half.
inline double cos_pi(double x) {
  const double r = ::fabs(::fmod(x, 2.0));
  if (r == 0.5 || r == 1.5) return 0.0;
  if (r <= 0.25) return ::cos(kPi * r);
  if (r < 0.75) return ::sin(kPi * (0.5 - r));
  if (r <= 1.25) return -::cos(kPi * (1.0 - r));
  if (r < 1.75) return ::sin(kPi * (r - 1.5));
  return ::cos(kPi * (2.0 - r));
}

/// sqrt(sum of squares), scaled by the largest element, so that no square over- or underflows.
template <class T>
inline T norm_of(size_t n, const T* p) {
  T largest = 0;
  for (size_t i = 0; i < n; ++i) {
    const T magnitude = std::fabs(p[i]);
    if (magnitude == static_cast<T>(INFINITY)) return magnitude;
    if (!(magnitude <= largest)) largest = magnitude;
  }
  if (!(largest > 0)) return largest;
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    const double ratio = static_cast<double>(p[i]) / static_cast<double>(largest);
    sum += ratio * ratio;
  }
  return static_cast<T>(static_cast<double>(largest) * ::sqrt(sum));
}

}  // namespace simt::detail

inline double rsqrt(double x) noexcept { return 1.0 / ::sqrt(x); }
inline float rsqrtf(float x) noexcept {
  return static_cast<float>(1.0 / ::sqrt(static_cast<double>(x)));
}
inline float rsqrt(float x) noexcept { return rsqrtf(x); }
inline double rcbrt(double x) noexcept { return 1.0 / ::cbrt(x); }
inline float rcbrtf(float x) noexcept {
  return static_cast<float>(1.0 / ::cbrt(static_cast<double>(x)));
}
inline float rcbrt(float x) noexcept { return rcbrtf(x); }
inline float fdividef(float x, float y) noexcept { return x / y; }

inline double sinpi(double x) noexcept { return simt::detail::sin_pi(x); }
inline float sinpif(float x) noexcept { return static_cast<float>(simt::detail::sin_pi(x)); }
inline float sinpi(float x) noexcept { return sinpif(x); }
inline double cospi(double x) noexcept { return simt::detail::cos_pi(x); }
inline float cospif(float x) noexcept { return static_cast<float>(simt::detail::cos_pi(x)); }
inline float cospi(float x) noexcept { return cospif(x); }
inline void sincos(float x, float* s, float* c) noexcept {
  *s = ::sinf(x);
  *c = ::cosf(x);
}
inline void sincospi(double x, double* s, double* c) noexcept {
  *s = sinpi(x);
  *c = cospi(x);
}
inline void sincospif(float x, float* s, float* c) noexcept {
  *s = sinpif(x);
  *c = cospif(x);
}
inline void sincospi(float x, float* s, float* c) noexcept { sincospif(x, s, c); }
inline float exp10(float x) noexcept { return ::exp10f(x); }

inline double erfinv(double x) noexcept { return simt::detail::inverse_erf(x); }
inline float erfinvf(float x) noexcept { return static_cast<float>(simt::detail::inverse_erf(x)); }
inline float erfinv(float x) noexcept { return erfinvf(x); }
inline double erfcinv(double x) noexcept { return simt::detail::inverse_erfc(x); }
inline float erfcinvf(float x) noexcept {
  return static_cast<float>(simt::detail::inverse_erfc(x));
}
inline float erfcinv(float x) noexcept { return erfcinvf(x); }
inline double erfcx(double x) noexcept { return simt::detail::scaled_erfc(x); }
inline float erfcxf(float x) noexcept { return static_cast<float>(simt::detail::scaled_erfc(x)); }
inline float erfcx(float x) noexcept { return erfcxf(x); }
inline double normcdf(double x) noexcept { return 0.5 * ::erfc(-x * simt::detail::kSqrtHalf); }
inline float normcdff(float x) noexcept {
  return static_cast<float>(normcdf(static_cast<double>(x)));
}
inline float normcdf(float x) noexcept { return normcdff(x); }
inline double normcdfinv(double p) noexcept {
  return -simt::detail::inverse_erfc(2.0 * p) / simt::detail::kSqrtHalf;
}
inline float normcdfinvf(float p) noexcept {
  return static_cast<float>(normcdfinv(static_cast<double>(p)));
}
inline float normcdfinv(float p) noexcept { return normcdfinvf(p); }

inline double rhypot(double x, double y) noexcept { return 1.0 / ::hypot(x, y); }
inline float rhypotf(float x, float y) noexcept {
  return static_cast<float>(1.0 / ::hypot(static_cast<double>(x), static_cast<double>(y)));
}
inline float rhypot(float x, float y) noexcept { return rhypotf(x, y); }
inline double norm3d(double a, double b, double c) noexcept {
  const double p[] = {a, b, c};
  return simt::detail::norm_of(3, p);
}
inline float norm3df(float a, float b, float c) noexcept {
  const float p[] = {a, b, c};
  return simt::detail::norm_of(3, p);
}
inline double norm4d(double a, double b, double c, double d) noexcept {
  const double p[] = {a, b, c, d};
  return simt::detail::norm_of(4, p);
}
inline float norm4df(float a, float b, float c, float d) noexcept {
  const float p[] = {a, b, c, d};
  return simt::detail::norm_of(4, p);
}
inline double rnorm3d(double a, double b, double c) noexcept { return 1.0 / norm3d(a, b, c); }
inline float rnorm3df(float a, float b, float c) noexcept { return 1.0f / norm3df(a, b, c); }
inline double rnorm4d(double a, double b, double c, double d) noexcept {
  return 1.0 / norm4d(a, b, c, d);
}
inline float rnorm4df(float a, float b, float c, float d) noexcept {
  return 1.0f / norm4df(a, b, c, d);
}
inline double norm(int n, const double* p) noexcept {
  return simt::detail::norm_of(static_cast<size_t>(n), p);
}
inline float normf(int n, const float* p) noexcept {
  return simt::detail::norm_of(static_cast<size_t>(n), p);
}
inline float norm(int n, const float* p) noexcept { return normf(n, p); }
inline double rnorm(int n, const double* p) noexcept { return 1.0 / norm(n, p); }
inline float rnormf(int n, const float* p) noexcept { return 1.0f / normf(n, p); }
inline float rnorm(int n, const float* p) noexcept { return rnormf(n, p); }

// libstdc++ declares these in <cmath>; other libraries may have none, and then CUDA's names are
// absent with them.
inline double cyl_bessel_i0(double x) noexcept { return std::cyl_bessel_i(0.0, ::fabs(x)); }
inline double cyl_bessel_i1(double x) noexcept {
  return ::copysign(std::cyl_bessel_i(1.0, ::fabs(x)), x);
}
inline float cyl_bessel_i0f(float x) noexcept { return static_cast<float>(cyl_bessel_i0(x)); }
inline float cyl_bessel_i1f(float x) noexcept { return static_cast<float>(cyl_bessel_i1(x)); }

namespace simt::detail {

inline double scaled_erfc(double x) {
  if (x < 25.0) return x < -26.7 ? static_cast<double>(INFINITY) : ::exp(x * x) * ::erfc(x);
  // Asymptotic series: 1/(x sqrt(pi)) * (1 - 1/(2x^2) + 3/(4x^4) - 15/(8x^6)).
  const double t = 0.5 / (x * x);
  return (0.5 * kTwoOverSqrtPi / x) * (1.0 - t * (1.0 - t * (3.0 - t * 15.0)));
}

/// First guess for the inverse of erfc at 0 < p <= 1, from the leading term of its tail.
inline double inverse_erfc_guess(double p) {
  if (p > 0.3) return (1.0 - p) / kTwoOverSqrtPi;
  const double t = ::sqrt(-::log(p));
  return t - ::log(t + 1.0) / (2.0 * t + 1.0);
}

inline double inverse_erfc(double p) {
  if (!(p >= 0.0 && p <= 2.0)) return static_cast<double>(NAN);
  if (p == 0.0) return static_cast<double>(INFINITY);
  if (p == 2.0) return -static_cast<double>(INFINITY);
  if (p > 1.0) return -inverse_erfc(2.0 - p);
  double x = inverse_erfc_guess(p);
  for (int step = 0; step < 12; ++step) {
    // f = erfc(x)/p - 1 keeps the Newton step well scaled in the far tail.
    const double value = ::erfc(x);
    const double slope = -kTwoOverSqrtPi * ::exp(-x * x);
    const double newton = (value - p) / slope;
    const double next = x - newton / (1.0 + x * newton);
    if (next == x) break;
    x = next;
  }
  return x;
}

inline double inverse_erf(double y) {
  if (!(y >= -1.0 && y <= 1.0)) return static_cast<double>(NAN);
  if (::fabs(y) == 1.0) return ::copysign(static_cast<double>(INFINITY), y);
  if (::fabs(y) > 0.7) return ::copysign(inverse_erfc(1.0 - ::fabs(y)), y);
  double x = y / kTwoOverSqrtPi;
  for (int step = 0; step < 12; ++step) {
    const double newton = (::erf(x) - y) / (kTwoOverSqrtPi * ::exp(-x * x));
    const double next = x - newton / (1.0 + x * newton);
    if (next == x) break;
    x = next;
  }
  return x;
}

}  // namespace simt::detail
