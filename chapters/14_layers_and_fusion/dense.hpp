/// \file
/// The fully connected layer and its gradients.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch14 {

/// out(n, j) = bias[j] + sum over i of in(n, i) * weights(j, i).
///
/// \param in       (N, I), one row an example, device memory; read only
/// \param weights  (J, I), device memory; read only
/// \param bias     (J), device memory; read only
/// \param out      (N, J), device memory; overwritten
/// \param scratch  device memory for at least dense_scratch(N, I, J) floats, or none
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out and scratch overlap no other argument. All rows lie without gaps (stride =
/// columns).
///
/// Errors: `std::invalid_argument` if the shapes do not fit, or if there is scratch memory and too
/// little of it; `tut::CudaError` if a launch fails.
///
/// **Launch**: tiles of 64 x 64 outputs, blocks of (16, 16), 17 KiB of static shared memory. With
/// scratch memory the inputs are cut into slices of 128 or more, so that there are blocks for a
/// large GPU; a second kernel adds the slices' sums in order. Few outputs (J at most 16, I at most
/// 2048): a warp an example, blocks of 128.
///
/// **Cost**: 2NIJ FLOPs; at least 4(NI + IJ + NJ) bytes, in tiles 4NIJ/64 for each factor, and 8
/// for each float of scratch memory.
///
/// **Source**: the definition; chapters 05 and 07 for the tiles.
void dense(MatrixView<const float> in, MatrixView<const float> weights, const float* bias,
           MatrixView<float> out, std::span<float> scratch, cudaStream_t stream = nullptr);
/// The same without scratch memory and in one piece, for products that have many outputs, or are
/// small.
void dense(MatrixView<const float> in, MatrixView<const float> weights, const float* bias,
           MatrixView<float> out, cudaStream_t stream = nullptr);

/// How many floats of scratch memory dense wants for N examples, I inputs and J outputs; 0 if none
/// are of use.
std::size_t dense_scratch(int examples, int inputs, int outputs);

/// Given the gradient of a loss with respect to dense's output, computes the gradients with respect
/// to its input, weights and bias, the last two summed over the examples in an order that depends
/// on the shape alone:
///
///     d_in(n, i)      = sum over j of d_out(n, j) * weights(j, i)
///     d_weights(j, i) = sum over n of d_out(n, j) * in(n, i)
///     d_bias[j]       = sum over n of d_out(n, j)
///
/// \param in         (N, I), device memory; read only
/// \param weights    (J, I), device memory; read only
/// \param d_out      (N, J), device memory; read only
/// \param d_in       (N, I), device memory; overwritten
/// \param d_weights  (J, I), device memory; overwritten
/// \param d_bias     (J), device memory; overwritten
/// \param stream     stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. All rows lie without gaps (stride = columns).
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if a launch fails.
///
/// **Launch**: tiles of 64 x 64 of d_in and of d_weights, blocks of (16, 16), 17 KiB of static
/// shared memory; d_bias: see bias_backward. Few outputs (J at most 16): one kernel, a block of
/// (32, 16) for 32 inputs, up to 36 KiB of static shared memory.
///
/// **Cost**: 4NIJ FLOPs; at least 4(2NI + 2IJ + NJ) bytes, which few outputs come near to: each
/// block reads d_out once more. In tiles 4NIJ/64 for each factor.
///
/// **Source**: the chain rule applied to dense's definition.
void dense_backward(MatrixView<const float> in, MatrixView<const float> weights,
                    MatrixView<const float> d_out, MatrixView<float> d_in,
                    MatrixView<float> d_weights, float* d_bias, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
