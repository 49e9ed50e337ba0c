/// \file
/// The gradient of a convolution with respect to its weights, as an implicit GEMM with a split
/// depth.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "13_convolution/convolution_shape.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// How many floats of scratch memory conv2d_implicit_backward_weights needs.
std::size_t conv2d_implicit_backward_weights_scratch(TensorView<const float> d_out,
                                                     TensorView<const float> d_weights);

/// The gradient of the weights that conv2d_backward_weights computes, as the product
///
///     d_weights (K, CF^2) = d_out (K, pixels) * columns^T (pixels, CF^2)
///
/// The result is small and the depth, all pixels of the batch, is long: so the depth is cut into
/// slices, each summed by blocks of its own, and the slices are added up in a fixed order.
///
/// \param in         (N, C, H, W), device memory; read only
/// \param d_out      (N, K, (H + 2p - F) / s + 1, (W + 2p - F) / s + 1), device memory; read only
/// \param d_weights  (K, C, F, F), device memory; overwritten
/// \param scratch    device memory for at least the floats asked for above; overwritten
/// \param options    those of conv2d
/// \param stream     stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. K is at most 2^21.
///
/// Errors: `std::invalid_argument` if the shapes do not fit or the scratch memory is too small;
/// `tut::CudaError` if a launch fails.
///
/// **Launch**: tiles as conv2d_implicit's: grid (⌈CF^2/128⌉, ⌈K/R⌉, slices), about 512 blocks; then
/// sum_slices.
///
/// **Cost**: 2 K CF^2 pixels FLOPs; 8 * slices * KCF^2 bytes of scratch memory written and read.
///
/// **Source**: the chain rule applied to conv2d's definition.
void conv2d_implicit_backward_weights(TensorView<const float> in, TensorView<const float> d_out,
                                      TensorView<float> d_weights, std::span<float> scratch,
                                      Conv2dOptions options, cudaStream_t stream = nullptr);

}  // namespace tut::ch13
