/// \file
/// float to bfloat16, bit by bit: a worked example of chapter 12.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

namespace tut::ch12 {

/// The bits of every float rounded to bfloat16: to nearest, ties to even, as
/// `__float2bfloat16_rn` has it. What rounds beyond the largest number becomes infinity, every NaN
/// becomes 0x7FFF.
///
/// \param in      floats in device memory; read only
/// \param out     as many bit patterns in device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap in.
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: one thread an element, blocks of 256.
///
/// **Cost**: 6 bytes an element; bandwidth is the limit.
///
/// **Source**: CUDA Math API, "Bfloat16 Precision Conversion and Data Movement".
void round_to_bfloat16(std::span<const float> in, std::span<std::uint16_t> out,
                       cudaStream_t stream = nullptr);

}  // namespace tut::ch12
