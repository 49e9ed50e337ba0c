/// @file
/// Complex numbers as vectors of two. Quotients and magnitudes are scaled, so that they overflow
/// only where the result does.
/// Source: CUDA's cuComplex.h.
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>

#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

inline cuFloatComplex make_cuFloatComplex(float real, float imaginary) { return {real, imaginary}; }
inline cuComplex make_cuComplex(float real, float imaginary) { return {real, imaginary}; }
inline float cuCrealf(cuFloatComplex x) { return x.x; }
inline float cuCimagf(cuFloatComplex x) { return x.y; }
inline cuFloatComplex cuConjf(cuFloatComplex x) { return {x.x, -x.y}; }
inline cuFloatComplex cuCaddf(cuFloatComplex x, cuFloatComplex y) { return {x.x + y.x, x.y + y.y}; }
inline cuFloatComplex cuCsubf(cuFloatComplex x, cuFloatComplex y) { return {x.x - y.x, x.y - y.y}; }
inline cuFloatComplex cuCmulf(cuFloatComplex x, cuFloatComplex y) {
  return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};
}
inline cuFloatComplex cuCdivf(cuFloatComplex x, cuFloatComplex y) {
  const float scale = 1.0f / (fabsf(y.x) + fabsf(y.y));
  const cuFloatComplex a{x.x * scale, x.y * scale};
  const cuFloatComplex b{y.x * scale, y.y * scale};
  const float inverse = 1.0f / (b.x * b.x + b.y * b.y);
  return {(a.x * b.x + a.y * b.y) * inverse, (a.y * b.x - a.x * b.y) * inverse};
}
inline float cuCabsf(cuFloatComplex x) { return hypotf(x.x, x.y); }
inline cuFloatComplex cuCfmaf(cuFloatComplex x, cuFloatComplex y, cuFloatComplex d) {
  return cuCaddf(cuCmulf(x, y), d);
}

inline cuDoubleComplex make_cuDoubleComplex(double real, double imaginary) {
  return {real, imaginary};
}
inline double cuCreal(cuDoubleComplex x) { return x.x; }
inline double cuCimag(cuDoubleComplex x) { return x.y; }
inline cuDoubleComplex cuConj(cuDoubleComplex x) { return {x.x, -x.y}; }
inline cuDoubleComplex cuCadd(cuDoubleComplex x, cuDoubleComplex y) {
  return {x.x + y.x, x.y + y.y};
}
inline cuDoubleComplex cuCsub(cuDoubleComplex x, cuDoubleComplex y) {
  return {x.x - y.x, x.y - y.y};
}
inline cuDoubleComplex cuCmul(cuDoubleComplex x, cuDoubleComplex y) {
  return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};
}
inline cuDoubleComplex cuCdiv(cuDoubleComplex x, cuDoubleComplex y) {
  const double scale = 1.0 / (fabs(y.x) + fabs(y.y));
  const cuDoubleComplex a{x.x * scale, x.y * scale};
  const cuDoubleComplex b{y.x * scale, y.y * scale};
  const double inverse = 1.0 / (b.x * b.x + b.y * b.y);
  return {(a.x * b.x + a.y * b.y) * inverse, (a.y * b.x - a.x * b.y) * inverse};
}
inline double cuCabs(cuDoubleComplex x) { return hypot(x.x, x.y); }
inline cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d) {
  return cuCadd(cuCmul(x, y), d);
}

inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return {x.x, x.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return {static_cast<float>(x.x), static_cast<float>(x.y)};
}

#endif
