/// @file
/// Half precision: `half`, `half2`, their operators, intrinsics and conversions, bit for bit as
/// CUDA has them.
/// Source: CUDA Math API, "Half Precision Intrinsics".
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "simt/float16/half_convert.hpp"
#include "simt/float16/half_type.hpp"
#include "simt/float16/names.hpp"
#include "simt/float16/pair.hpp"
#include "simt/float16/scalar.hpp"

SIMT_FLOAT16_FUNCTIONS(SIMT_DECLARE_FLOAT16_FUNCTION, __half, __half2)

inline constexpr __half CUDART_INF_FP16{__half_raw{0x7C00}};
inline constexpr __half CUDART_NAN_FP16{__half_raw{0x7FFF}};
inline constexpr __half CUDART_MIN_DENORM_FP16{__half_raw{0x0001}};
inline constexpr __half CUDART_MAX_NORMAL_FP16{__half_raw{0x7BFF}};
inline constexpr __half CUDART_NEG_ZERO_FP16{__half_raw{0x8000}};
inline constexpr __half CUDART_ZERO_FP16{__half_raw{0x0000}};
inline constexpr __half CUDART_ONE_FP16{__half_raw{0x3C00}};

#endif
