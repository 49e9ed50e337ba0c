/// \file
/// Contract of the exercise round_to_tf32: float to TF32, bit by bit.
#pragma once

#include <cuda_runtime.h>

#include <span>

namespace tut::ch12 {

/// Every float rounded to TF32, in one launch; it lives in a float whose last 13 bits are 0: to
/// nearest, ties *away from zero*, as `__float_to_tf32` and the PTX instruction `cvt.rna.tf32.f32`
/// have it.
///
/// Infinities stay what they are. A NaN becomes any NaN, whatever its last bits. What rounds beyond
/// the largest number becomes infinity.
///
/// \param in      floats in device memory; read only
/// \param out     as many floats in device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap in. There are at most 10^9 elements.
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: one thread an element, blocks of 256.
///
/// **Cost**: 8 bytes an element; bandwidth is the limit. In each store neighbouring threads use
/// neighbouring places, however wide it is.
///
/// **Source**: PTX ISA, "cvt"; CUDA C++ Programming Guide, "Alternate Floating Point".
void round_to_tf32(std::span<const float> in, std::span<float> out, cudaStream_t stream = nullptr);

}  // namespace tut::ch12
