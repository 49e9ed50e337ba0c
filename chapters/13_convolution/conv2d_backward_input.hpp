/// \file
/// The gradient of a convolution with respect to its input.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "13_convolution/convolution_shape.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// How many floats of scratch memory conv2d_backward_input needs for these shapes, whatever the
/// options: none.
std::size_t conv2d_backward_input_scratch(TensorView<const float> d_out,
                                          TensorView<const float> weights);

/// Given the gradient of a loss with respect to conv2d's output, computes the gradient with respect
/// to its input. A pixel of the input takes part in every pixel of the output whose filter lies
/// over it. Without padding, stride 1, that is a convolution too: of d_out with a border of F - 1
/// zeros, by the filters turned half round, with filters and channels exchanged:
///
///     d_in(n, c, y, x) = sum over k, i, j of
///                        padded(n, k, y + i, x + j) * weights(k, c, F - 1 - i, F - 1 - j)
///
/// \param d_out    (N, K, (H + 2p - F) / s + 1, (W + 2p - F) / s + 1), device memory; read only
/// \param weights  (K, C, F, F), device memory; read only
/// \param d_in     (N, C, H, W), device memory; overwritten
/// \param scratch  device memory for conv2d_backward_input_scratch floats: may be empty
/// \param options  those of conv2d
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. N, K and C are at most 65535.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: conv2d_tiles_backward_input for layers with stride 1 and F of 1, 3 or 5 that have
/// few channels or filters (suits_tiles), otherwise conv2d_implicit_backward_input.
///
/// **Cost**: 2NCHWKF^2 FLOPs, some of them with the border's zeros. The least traffic is 4 bytes
/// for every element of d_out, weights and d_in.
///
/// **Source**: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning" (2016),
/// section 4.
void conv2d_backward_input(TensorView<const float> d_out, TensorView<const float> weights,
                           TensorView<float> d_in, std::span<float> scratch, Conv2dOptions options,
                           cudaStream_t stream = nullptr);

/// The same without padding, stride 1.
inline void conv2d_backward_input(TensorView<const float> d_out, TensorView<const float> weights,
                                  TensorView<float> d_in, std::span<float> scratch,
                                  cudaStream_t stream = nullptr) {
  conv2d_backward_input(d_out, weights, d_in, scratch, Conv2dOptions{}, stream);
}

}  // namespace tut::ch13
