/// \file
/// Contract of the exercise round_to_half: float to FP16, bit by bit.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

namespace tut::ch12 {

/// The bits of every float rounded to FP16, in one launch: to nearest, ties to even, as
/// `__float2half_rn` has it.
///
/// round_to_bfloat16 could forget about the exponent, since bfloat16 has float's. FP16 has a
/// shorter one, with three consequences: its bias is 15 and not 127; numbers below 2^-14 are
/// subnormal, multiples of 2^-24; numbers from 65520 on become infinity. Every NaN becomes 0x7FFF.
///
/// \param in      floats in device memory; read only
/// \param out     as many bit patterns in device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap in. There are at most 10^9 elements.
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: one thread an element, blocks of 256.
///
/// **Cost**: 6 bytes an element; bandwidth is the limit. In each store neighbouring threads use
/// neighbouring places, however wide it is.
///
/// **Source**: IEEE 754-2019, sections 3.4 and 4.3.1; CUDA Math API, "Half Precision Conversion and
/// Data Movement".
void round_to_half(std::span<const float> in, std::span<std::uint16_t> out,
                   cudaStream_t stream = nullptr);

}  // namespace tut::ch12
