/// \file
/// The fully connected layer and its gradients.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix_view.hpp"

namespace tut::ch14 {

/// out(n, j) = bias[j] + sum over i of in(n, i) * weights(j, i).
///
/// \param in       (N, I), one row an example, device memory; read only
/// \param weights  (J, I), device memory; read only
/// \param bias     (J), device memory; read only
/// \param out      (N, J), device memory; overwritten
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out overlaps no other argument. All rows lie without gaps (stride = columns).
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread an output; grid (J / 16, N / 8), both rounded up, block (16, 8).
///
/// **Cost**: 2NIJ FLOPs; at least 4(NI + IJ + NJ) bytes. Made for few outputs: no tiles.
///
/// **Source**: the definition.
void dense(MatrixView<const float> in, MatrixView<const float> weights, const float* bias,
           MatrixView<float> out, cudaStream_t stream = nullptr);

/// Given the gradient of a loss with respect to dense's output, computes the gradients with respect
/// to its input, weights and bias, the last two summed over the examples in order:
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
/// Preconditions: no argument overlaps another. All rows lie without gaps (stride = columns). N and
/// J are at most 65535.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if a launch fails.
///
/// **Launch**: d_in: one thread an element, grid (I / 128 rounded up, N); d_weights: the same over
/// (I / 128, J); d_bias: one thread an output. Blocks of 128.
///
/// **Cost**: 4NIJ FLOPs; at least 4(2NI + 2IJ + NJ) bytes.
///
/// **Source**: the chain rule applied to dense's definition.
void dense_backward(MatrixView<const float> in, MatrixView<const float> weights,
                    MatrixView<const float> d_out, MatrixView<float> d_in,
                    MatrixView<float> d_weights, float* d_bias, cudaStream_t stream = nullptr);

}  // namespace tut::ch14
