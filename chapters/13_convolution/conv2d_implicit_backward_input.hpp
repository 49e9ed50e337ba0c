/// \file
/// The gradient of a convolution with respect to its input, as an implicit GEMM.
#pragma once

#include <cuda_runtime.h>

#include "13_convolution/convolution_shape.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// The gradient that conv2d_backward_input computes, as the product
///
///     d_in (C, pixels) = weights (C, KF^2) * columns (KF^2, pixels)
///
/// where column p holds, for each filter and tap, the element of d_out that was computed with this
/// tap over pixel p of the input, or 0 where there is none.
///
/// \param d_out    (N, K, (H + 2p - F) / s + 1, (W + 2p - F) / s + 1), device memory; read only
/// \param weights  (K, C, F, F), device memory; read only
/// \param d_in     (N, C, H, W), device memory; overwritten
/// \param options  those of conv2d
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. C is at most 2^21.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: conv2d_implicit's, with the input's pixels for the output's and C for K.
///
/// **Cost**: 2NHWCKF^2 FLOPs, of whole tiles, of which with stride s only one in s^2 has a factor
/// that is no zero.
///
/// **Source**: the chain rule applied to conv2d's definition.
void conv2d_implicit_backward_input(TensorView<const float> d_out, TensorView<const float> weights,
                                    TensorView<float> d_in, Conv2dOptions options,
                                    cudaStream_t stream = nullptr);

}  // namespace tut::ch13
