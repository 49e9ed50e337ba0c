/// @file
/// bfloat16: `__nv_bfloat16`, `__nv_bfloat162`, their operators, intrinsics and conversions, bit
/// for bit as CUDA has them.
/// Source: CUDA Math API, "Bfloat16 Precision Intrinsics".
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "cuda_fp16.h"
#include "simt/float16/bfloat16_convert.hpp"
#include "simt/float16/bfloat16_type.hpp"
#include "simt/float16/names.hpp"
#include "simt/float16/pair.hpp"
#include "simt/float16/scalar.hpp"

SIMT_FLOAT16_FUNCTIONS(SIMT_DECLARE_FLOAT16_FUNCTION, __nv_bfloat16, __nv_bfloat162)

inline constexpr __nv_bfloat16 CUDART_INF_BF16{__nv_bfloat16_raw{0x7F80}};
inline constexpr __nv_bfloat16 CUDART_NAN_BF16{__nv_bfloat16_raw{0x7FFF}};
inline constexpr __nv_bfloat16 CUDART_MIN_DENORM_BF16{__nv_bfloat16_raw{0x0001}};
inline constexpr __nv_bfloat16 CUDART_MAX_NORMAL_BF16{__nv_bfloat16_raw{0x7F7F}};
inline constexpr __nv_bfloat16 CUDART_NEG_ZERO_BF16{__nv_bfloat16_raw{0x8000}};
inline constexpr __nv_bfloat16 CUDART_ZERO_BF16{__nv_bfloat16_raw{0x0000}};
inline constexpr __nv_bfloat16 CUDART_ONE_BF16{__nv_bfloat16_raw{0x3F80}};

#endif
