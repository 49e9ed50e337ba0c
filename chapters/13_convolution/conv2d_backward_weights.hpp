/// \file
/// The gradients of a convolution with respect to its weights and its bias.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "tut/tensor_view.hpp"

namespace tut::ch13 {

/// How many floats of scratch memory conv2d_backward_weights needs for these shapes.
std::size_t conv2d_backward_weights_scratch(TensorView<const float> d_out,
                                            TensorView<const float> d_weights);

/// Given the gradient of a loss with respect to conv2d's output, computes the gradients with
/// respect to the weights and the bias, summed over the batch:
///
///     d_weights(k, c, i, j) = sum over n, y, x of d_out(n, k, y, x) * in(n, c, y + i, x + j)
///     d_bias[k]             = sum over n, y, x of d_out(n, k, y, x)
///
/// Each sum is taken in two stages: every thread sums a column of pixels over a few images, then
/// one thread a weight adds up the columns. The order is fixed and nothing is atomic, so equal
/// inputs give equal bits.
///
/// \param in         (N, C, H, W), device memory; read only
/// \param d_out      (N, K, H - F + 1, W - F + 1), device memory; read only
/// \param d_weights  (K, C, F, F), device memory, F is at most H and W; overwritten
/// \param d_bias     (K), device memory; overwritten
/// \param scratch    device memory for at least conv2d_backward_weights_scratch floats; overwritten
/// \param stream     stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. W - F + 1 is at most 1024; N, K and CF^2 are at
/// most 65535.
///
/// Errors: `std::invalid_argument` if the shapes do not fit or the scratch memory is too small;
/// `tut::CudaError` if a launch fails.
///
/// **Launch**: columns, for the layers of this course's network: grid (N / 4, K / 4, C), block
/// (W - F + 1, F), and the same for the N % 4 images that are left; for other sizes: grid
/// (N, K, CF^2), block W - F + 1. Sums: one thread a weight, blocks of 128. No shared memory.
///
/// **Cost**: 2NK(H - F + 1)(W - F + 1)CF^2 FLOPs. Scratch floats written and read, for each weight:
/// (W - F + 1)(N / 4) for the layers of the network, (W - F + 1)N for other sizes.
///
/// **Source**: the chain rule applied to conv2d's definition.
void conv2d_backward_weights(TensorView<const float> in, TensorView<const float> d_out,
                             TensorView<float> d_weights, float* d_bias, std::span<float> scratch,
                             cudaStream_t stream = nullptr);

}  // namespace tut::ch13
