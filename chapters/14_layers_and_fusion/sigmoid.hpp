/// \file
/// The logistic function and its gradient.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <span>

#include "tut/numeric/tf32.hpp"

namespace tut::ch14 {

/// out[i] = 1 / (1 + exp(-in[i])): every number becomes one between 0 and 1.
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
/// **Cost**: 2 elements moved for each, 8 bytes of float; bandwidth is the limit.
///
/// **Source**: Goodfellow, Bengio, Courville, "Deep Learning" (2016), section 3.10.
void sigmoid(std::span<const float> in, std::span<float> out, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void sigmoid(std::span<const __half> in, std::span<__half> out, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void sigmoid(std::span<const __nv_bfloat16> in, std::span<__nv_bfloat16> out,
             cudaStream_t stream = nullptr);
/// The same for this type of elements.
void sigmoid(std::span<const Tf32> in, std::span<Tf32> out, cudaStream_t stream = nullptr);

/// Given the gradient of a loss with respect to sigmoid's output, computes the gradient with
/// respect to its input from the output alone: d_in[i] = d_out[i] * out[i] * (1 - out[i]).
///
/// \param out     what sigmoid made, device memory; read only
/// \param d_out   as long as `out`, device memory; read only
/// \param d_in    as long as `out`, device memory; overwritten; may be `d_out` itself
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: one thread for 16 bytes of the largest type, or for one element where vectors do not
/// begin at such multiples; blocks of 256.
///
/// **Cost**: 3 elements moved for each, 12 bytes of float; bandwidth is the limit.
///
/// **Source**: the derivative of the logistic function y is y(1 - y).
void sigmoid_backward(std::span<const float> out, std::span<const float> d_out,
                      std::span<float> d_in, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void sigmoid_backward(std::span<const __half> out, std::span<const __half> d_out,
                      std::span<__half> d_in, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void sigmoid_backward(std::span<const __nv_bfloat16> out, std::span<const __nv_bfloat16> d_out,
                      std::span<__nv_bfloat16> d_in, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void sigmoid_backward(std::span<const Tf32> out, std::span<const Tf32> d_out, std::span<Tf32> d_in,
                      cudaStream_t stream = nullptr);

}  // namespace tut::ch14
