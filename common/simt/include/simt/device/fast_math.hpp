/// @file
/// The fast approximations of the special function unit. Here they are as exact as the C library;
/// what CUDA documents of their range is kept.
/// Source: CUDA Math API, "Single Precision Intrinsics"; CUDA Programming Guide, "Mathematical
/// Functions: Intrinsic Functions".
#pragma once

#include <math.h>

#include "simt/device/math.hpp"

inline float __expf(float x) { return ::expf(x); }
inline float __exp10f(float x) { return ::exp10f(x); }
inline float __logf(float x) { return ::logf(x); }
inline float __log2f(float x) { return ::log2f(x); }
inline float __log10f(float x) { return ::log10f(x); }
inline float __sinf(float x) { return ::sinf(x); }
inline float __cosf(float x) { return ::cosf(x); }
inline float __tanf(float x) { return ::tanf(x); }
inline float __tanhf(float x) { return ::tanhf(x); }
inline float __powf(float x, float y) { return ::powf(x, y); }
inline void __sincosf(float x, float* s, float* c) {
  *s = ::sinf(x);
  *c = ::cosf(x);
}

/// x / y; for 2^126 < |y| < 2^128 the quotient is 0 (NaN for an infinite x), as documented.
inline float __fdividef(float x, float y) {
  const float magnitude = ::fabsf(y);
  return magnitude > 0x1p126f && magnitude < INFINITY ? x * 0.0f : x / y;
}

/// x clamped to [0, 1]; NaN becomes 0.
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
