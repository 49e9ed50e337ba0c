/// \file
/// The gradient of the loss on its way into the backward pass: scaled, and rounded to the type of
/// the activations.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <span>

#include "tut/numeric/tf32.hpp"

namespace tut::ch16 {

/// out[i] = in[i] * *scale, multiplied in FP32 and rounded to nearest.
///
/// \param in      device memory; read only
/// \param scale   one float in device memory, or null for 1; read only
/// \param out     as long as `in`, device memory; overwritten; may be `in` itself
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: as ch14::convert.
///
/// **Cost**: 8 bytes an element of float, and of TF32, 6 of a 16-bit type.
///
/// **Source**: P. Micikevicius et al., "Mixed Precision Training", ICLR 2018, section 3.2.
void scale_into(std::span<const float> in, const float* scale, std::span<float> out,
                cudaStream_t stream = nullptr);
/// \overload
void scale_into(std::span<const float> in, const float* scale, std::span<__half> out,
                cudaStream_t stream = nullptr);
/// \overload
void scale_into(std::span<const float> in, const float* scale, std::span<__nv_bfloat16> out,
                cudaStream_t stream = nullptr);
/// \overload
void scale_into(std::span<const float> in, const float* scale, std::span<Tf32> out,
                cudaStream_t stream = nullptr);

}  // namespace tut::ch16
