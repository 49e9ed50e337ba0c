/// \file
/// Vectors from one precision to another.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <span>

#include "tut/numeric/tf32.hpp"

namespace tut::ch14 {

/// out[i] = in[i], rounded to nearest. Ties go to even, in TF32 away from 0. What is too large for
/// half becomes infinity.
///
/// \param in      device memory; read only
/// \param out     as long as `in`, device memory; overwritten; overlaps `in` nowhere
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: one thread for 16 bytes of the largest type, or for one element where vectors do not
/// begin at such multiples; blocks of 256.
///
/// **Cost**: 6 bytes an element between float and a 16-bit type, 8 of TF32; bandwidth is the limit.
///
/// **Source**: IEEE 754-2019, section 4.3.1.
void convert(std::span<const float> in, std::span<__half> out, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void convert(std::span<const float> in, std::span<__nv_bfloat16> out,
             cudaStream_t stream = nullptr);
/// The same for this type of elements.
void convert(std::span<const float> in, std::span<Tf32> out, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void convert(std::span<const __half> in, std::span<float> out, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void convert(std::span<const __nv_bfloat16> in, std::span<float> out,
             cudaStream_t stream = nullptr);
/// The same for this type of elements.
void convert(std::span<const Tf32> in, std::span<float> out, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
