/// \file
/// The rectified linear unit and its gradient.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <span>

#include "tut/numeric/tf32.hpp"

namespace tut::ch14 {

/// out[i] = max(in[i], 0). A NaN stays a NaN.
///
/// \param in      device memory; read only
/// \param out     as long as `in`, device memory; overwritten; may be `in` itself
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: one thread for 16 bytes of the largest type, or for one element where vectors do not
/// begin at such multiples; blocks of 256.
///
/// **Cost**: 2 elements moved for each (1 read, 1 written), 8 bytes of float; bandwidth is the
/// limit.
///
/// **Source**: Nair and Hinton, "Rectified linear units improve restricted Boltzmann machines"
/// (2010).
void relu(std::span<const float> in, std::span<float> out, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void relu(std::span<const __half> in, std::span<__half> out, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void relu(std::span<const __nv_bfloat16> in, std::span<__nv_bfloat16> out,
          cudaStream_t stream = nullptr);
/// The same for this type of elements.
void relu(std::span<const Tf32> in, std::span<Tf32> out, cudaStream_t stream = nullptr);

/// Given the gradient of a loss with respect to relu's output, computes the gradient with respect
/// to its input: d_in[i] = d_out[i] where in[i] > 0, and 0 elsewhere. relu's output may stand in
/// for its input.
///
/// \param in      what relu was given, device memory; read only
/// \param d_out   as long as `in`, device memory; read only
/// \param d_in    as long as `in`, device memory; overwritten; may be `d_out` itself
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: one thread for 16 bytes of the largest type, or for one element where vectors do not
/// begin at such multiples; blocks of 256.
///
/// **Cost**: 3 elements moved for each (2 read, 1 written), 12 bytes of float; bandwidth is the
/// limit.
///
/// **Source**: the derivative of max(x, 0), taken as 0 at 0.
void relu_backward(std::span<const float> in, std::span<const float> d_out, std::span<float> d_in,
                   cudaStream_t stream = nullptr);
/// The same for this type of elements.
void relu_backward(std::span<const __half> in, std::span<const __half> d_out,
                   std::span<__half> d_in, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void relu_backward(std::span<const __nv_bfloat16> in, std::span<const __nv_bfloat16> d_out,
                   std::span<__nv_bfloat16> d_in, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void relu_backward(std::span<const Tf32> in, std::span<const Tf32> d_out, std::span<Tf32> d_in,
                   cudaStream_t stream = nullptr);

}  // namespace tut::ch14
