/// \file
/// Contract of the exercise convert_fp8_e4m3: float to E4M3 and back, bit by bit.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

namespace tut::ch12 {

/// The bits of every float rounded to E4M3, in one launch: to nearest, ties to even, and
/// *saturated*: what lies beyond the largest number, infinities too, becomes the largest, 448
/// (0x7E) with its sign. So does `__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3)`.
///
/// E4M3 has a sign, 4 bits of exponent with bias 7 and 3 of significand. Numbers below 2^-6 are
/// subnormal, multiples of 2^-9. It has no infinity, and one NaN for each sign, 0x7F and 0xFF: all
/// other codes with the largest exponent are numbers. A NaN becomes either.
///
/// \param in      floats in device memory; read only
/// \param out     as many codes in device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap in. There are at most 10^9 elements.
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: one thread an element, blocks of 256.
///
/// **Cost**: 5 bytes an element; bandwidth is the limit. In each store neighbouring threads use
/// neighbouring places, however wide it is.
///
/// **Source**: P. Micikevicius et al., "FP8 Formats for Deep Learning", 2022; CUDA Math API, "FP8
/// Conversion and Data Movement".
void to_fp8_e4m3(std::span<const float> in, std::span<std::uint8_t> out,
                 cudaStream_t stream = nullptr);

/// What every code means, as a float; exact, in one launch. Everything else is as for to_fp8_e4m3.
void from_fp8_e4m3(std::span<const std::uint8_t> in, std::span<float> out,
                   cudaStream_t stream = nullptr);

}  // namespace tut::ch12
