/// @file
/// Arithmetic with the rounding mode in the name: `_rn` to nearest even, `_rz` towards zero, `_ru`
/// up, `_rd` down. Each rounds once, truly as named, and is never fused with a neighbour.
/// Source: CUDA Math API, "Single Precision Intrinsics" and "Double Precision Intrinsics".
#pragma once

#include <fenv.h>
#include <math.h>

#include <type_traits>

namespace simt::detail {

/// Hides a value from the optimiser: no constant folding, no fusing, no motion across the call.
template <class T>
[[gnu::always_inline]] inline void opaque(T& value) {
#if defined(__x86_64__)
  if constexpr (std::is_floating_point_v<T>) {
    asm volatile("" : "+x"(value));
  } else {
    asm volatile("" : "+r"(value));
  }
#else
  asm volatile("" : "+m"(value));
#endif
}

/// The host's rounding mode for as long as the object lives.
class RoundingMode {
 public:
  explicit RoundingMode(int mode) : saved_(fegetround()) { fesetround(mode); }
  ~RoundingMode() { fesetround(saved_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int saved_;
};

/// f(args...) computed under a rounding mode of <fenv.h>.
template <class F, class... Args>
inline auto rounded(int mode, F f, Args... args) {
  const RoundingMode scope(mode);
  (opaque(args), ...);
  auto result = f(args...);
  opaque(result);
  return result;
}

/// f(args...) in the default mode (to nearest even), kept apart from what surrounds it.
template <class F, class... Args>
inline auto nearest(F f, Args... args) {
  auto result = f(args...);
  opaque(result);
  return result;
}

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};
struct Subtract {
  template <class T>
  T operator()(T a, T b) const {
    return a - b;
  }
};
struct Multiply {
  template <class T>
  T operator()(T a, T b) const {
    return a * b;
  }
};
struct Divide {
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};
struct Reciprocal {
  template <class T>
  T operator()(T a) const {
    return T{1} / a;
  }
};
struct FusedMultiplyAdd {
  float operator()(float a, float b, float c) const { return ::fmaf(a, b, c); }
  double operator()(double a, double b, double c) const { return ::fma(a, b, c); }
};
struct SquareRoot {
  float operator()(float a) const { return ::sqrtf(a); }
  double operator()(double a) const { return ::sqrt(a); }
};

/// 1/sqrt(x) rounded once, to nearest even.
inline float reciprocal_sqrt_nearest(float x) {
  const double exact = 1.0 / ::sqrt(static_cast<double>(x));
  const float guess = static_cast<float>(exact);
  if (!(x > 0.0f) || x == INFINITY || guess == INFINITY) return guess;
  // The double is within an ulp of its own: only a midpoint between floats next to it can mislead.
  const float other = ::nextafterf(guess, exact > static_cast<double>(guess) ? INFINITY : 0.0f);
  const double midpoint = 0.5 * (static_cast<double>(guess) + static_cast<double>(other));
  // Sign of midpoint^2 * x - 1, exact up to one rounding, which keeps the sign.
  const double side = ::fma(midpoint * midpoint, static_cast<double>(x), -1.0);
  const bool midpoint_above = side > 0.0;
  const bool guess_above = guess > other;
  return midpoint_above == guess_above ? other : guess;
}

}  // namespace simt::detail

inline float __fadd_rn(float a, float b) {
  return simt::detail::nearest(simt::detail::Add{}, a, b);
}
inline float __fadd_rz(float a, float b) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::Add{}, a, b);
}
inline float __fadd_ru(float a, float b) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::Add{}, a, b);
}
inline float __fadd_rd(float a, float b) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::Add{}, a, b);
}
inline float __fsub_rn(float a, float b) {
  return simt::detail::nearest(simt::detail::Subtract{}, a, b);
}
inline float __fsub_rz(float a, float b) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::Subtract{}, a, b);
}
inline float __fsub_ru(float a, float b) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::Subtract{}, a, b);
}
inline float __fsub_rd(float a, float b) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::Subtract{}, a, b);
}
inline float __fmul_rn(float a, float b) {
  return simt::detail::nearest(simt::detail::Multiply{}, a, b);
}
inline float __fmul_rz(float a, float b) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::Multiply{}, a, b);
}
inline float __fmul_ru(float a, float b) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::Multiply{}, a, b);
}
inline float __fmul_rd(float a, float b) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::Multiply{}, a, b);
}
inline float __fdiv_rn(float a, float b) {
  return simt::detail::nearest(simt::detail::Divide{}, a, b);
}
inline float __fdiv_rz(float a, float b) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::Divide{}, a, b);
}
inline float __fdiv_ru(float a, float b) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::Divide{}, a, b);
}
inline float __fdiv_rd(float a, float b) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::Divide{}, a, b);
}
inline float __frcp_rn(float a) { return simt::detail::nearest(simt::detail::Reciprocal{}, a); }
inline float __frcp_rz(float a) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::Reciprocal{}, a);
}
inline float __frcp_ru(float a) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::Reciprocal{}, a);
}
inline float __frcp_rd(float a) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::Reciprocal{}, a);
}
inline float __fsqrt_rn(float a) { return simt::detail::nearest(simt::detail::SquareRoot{}, a); }
inline float __fsqrt_rz(float a) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::SquareRoot{}, a);
}
inline float __fsqrt_ru(float a) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::SquareRoot{}, a);
}
inline float __fsqrt_rd(float a) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::SquareRoot{}, a);
}
inline float __fmaf_rn(float a, float b, float c) {
  return simt::detail::nearest(simt::detail::FusedMultiplyAdd{}, a, b, c);
}
inline float __fmaf_rz(float a, float b, float c) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::FusedMultiplyAdd{}, a, b, c);
}
inline float __fmaf_ru(float a, float b, float c) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::FusedMultiplyAdd{}, a, b, c);
}
inline float __fmaf_rd(float a, float b, float c) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::FusedMultiplyAdd{}, a, b, c);
}
inline float __fmaf_ieee_rn(float a, float b, float c) {
  return simt::detail::nearest(simt::detail::FusedMultiplyAdd{}, a, b, c);
}
inline float __fmaf_ieee_rz(float a, float b, float c) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::FusedMultiplyAdd{}, a, b, c);
}
inline float __fmaf_ieee_ru(float a, float b, float c) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::FusedMultiplyAdd{}, a, b, c);
}
inline float __fmaf_ieee_rd(float a, float b, float c) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::FusedMultiplyAdd{}, a, b, c);
}
inline double __dadd_rn(double a, double b) {
  return simt::detail::nearest(simt::detail::Add{}, a, b);
}
inline double __dadd_rz(double a, double b) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::Add{}, a, b);
}
inline double __dadd_ru(double a, double b) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::Add{}, a, b);
}
inline double __dadd_rd(double a, double b) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::Add{}, a, b);
}
inline double __dsub_rn(double a, double b) {
  return simt::detail::nearest(simt::detail::Subtract{}, a, b);
}
inline double __dsub_rz(double a, double b) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::Subtract{}, a, b);
}
inline double __dsub_ru(double a, double b) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::Subtract{}, a, b);
}
inline double __dsub_rd(double a, double b) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::Subtract{}, a, b);
}
inline double __dmul_rn(double a, double b) {
  return simt::detail::nearest(simt::detail::Multiply{}, a, b);
}
inline double __dmul_rz(double a, double b) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::Multiply{}, a, b);
}
inline double __dmul_ru(double a, double b) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::Multiply{}, a, b);
}
inline double __dmul_rd(double a, double b) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::Multiply{}, a, b);
}
inline double __ddiv_rn(double a, double b) {
  return simt::detail::nearest(simt::detail::Divide{}, a, b);
}
inline double __ddiv_rz(double a, double b) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::Divide{}, a, b);
}
inline double __ddiv_ru(double a, double b) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::Divide{}, a, b);
}
inline double __ddiv_rd(double a, double b) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::Divide{}, a, b);
}
inline double __drcp_rn(double a) { return simt::detail::nearest(simt::detail::Reciprocal{}, a); }
inline double __drcp_rz(double a) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::Reciprocal{}, a);
}
inline double __drcp_ru(double a) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::Reciprocal{}, a);
}
inline double __drcp_rd(double a) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::Reciprocal{}, a);
}
inline double __dsqrt_rn(double a) { return simt::detail::nearest(simt::detail::SquareRoot{}, a); }
inline double __dsqrt_rz(double a) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::SquareRoot{}, a);
}
inline double __dsqrt_ru(double a) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::SquareRoot{}, a);
}
inline double __dsqrt_rd(double a) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::SquareRoot{}, a);
}
inline double __fma_rn(double a, double b, double c) {
  return simt::detail::nearest(simt::detail::FusedMultiplyAdd{}, a, b, c);
}
inline double __fma_rz(double a, double b, double c) {
  return simt::detail::rounded(FE_TOWARDZERO, simt::detail::FusedMultiplyAdd{}, a, b, c);
}
inline double __fma_ru(double a, double b, double c) {
  return simt::detail::rounded(FE_UPWARD, simt::detail::FusedMultiplyAdd{}, a, b, c);
}
inline double __fma_rd(double a, double b, double c) {
  return simt::detail::rounded(FE_DOWNWARD, simt::detail::FusedMultiplyAdd{}, a, b, c);
}
inline float __frsqrt_rn(float a) { return simt::detail::reciprocal_sqrt_nearest(a); }
