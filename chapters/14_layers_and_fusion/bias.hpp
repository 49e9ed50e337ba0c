/// \file
/// A bias for each channel, and its gradient.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/tensor_view.hpp"

namespace tut::ch14 {

/// out(n, c, y, x) = in(n, c, y, x) + bias[c]. The rows of a matrix (N, J) are a tensor
/// (N, J, 1, 1): every column gets its bias.
///
/// \param in      (N, C, H, W), device memory; read only
/// \param bias    (C), device memory; read only
/// \param out     (N, C, H, W), device memory; overwritten; may be `in` itself
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: bias overlaps no output. N * C is below 2^31.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: planes: a warp a plane, blocks of 256, 16 bytes an access where all planes begin at
/// such multiples. Rows: a thread an element, blocks of (32, 8).
///
/// **Cost**: 2 elements moved for each, 8 bytes of float, and 4C bytes or more for the bias;
/// bandwidth is the limit.
///
/// **Source**: the definition.
void add_bias(TensorView<const float> in, const float* bias, TensorView<float> out,
              cudaStream_t stream = nullptr);
/// The same for this type of elements.
void add_bias(TensorView<const __half> in, const float* bias, TensorView<__half> out,
              cudaStream_t stream = nullptr);
/// The same for this type of elements.
void add_bias(TensorView<const __nv_bfloat16> in, const float* bias, TensorView<__nv_bfloat16> out,
              cudaStream_t stream = nullptr);

/// Given the gradient of a loss with respect to add_bias's output, computes the gradient with
/// respect to the bias: d_bias[c] = sum over n, y, x of d_out(n, c, y, x). (The gradient with
/// respect to the input is d_out itself.)
///
/// The sums are added in an order that depends on the shape alone, and on whether d_out begins at a
/// multiple of 16 bytes: equal inputs give equal bits.
///
/// \param d_out   (N, C, H, W), device memory; read only
/// \param d_bias  (C), device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: d_bias does not overlap d_out.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: planes: a block of 256 a channel, accesses likewise. Rows: a block of (32, 8) for 32
/// columns.
///
/// **Cost**: 1 element read for each; bandwidth is the limit where there are many channels.
///
/// **Source**: the derivative of a sum.
void bias_backward(TensorView<const float> d_out, float* d_bias, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void bias_backward(TensorView<const __half> d_out, float* d_bias, cudaStream_t stream = nullptr);
/// The same for this type of elements.
void bias_backward(TensorView<const __nv_bfloat16> d_out, float* d_bias,
                   cudaStream_t stream = nullptr);

}  // namespace tut::ch14
