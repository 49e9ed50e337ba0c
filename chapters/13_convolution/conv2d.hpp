/// \file
/// The convolution of a batch of images with a bank of filters, and its bias: the way in for the
/// chapters that follow.
#pragma once

#include <cuda_runtime.h>

#include "13_convolution/convolution_shape.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// Convolves each image with each filter (not flipped), and adds the filter's bias. With padding p
/// and stride s, where pixels outside of the image are 0:
///
///     out(n, k, y, x) = bias[k] + sum over c, i, j of
///                       in(n, c, y * s + i - p, x * s + j - p) * weights(k, c, i, j)
///
/// \param in       (N, C, H, W), device memory; read only
/// \param weights  (K, C, F, F), device memory; read only
/// \param bias     (K), device memory; read only
/// \param out      (N, K, (H + 2p - F) / s + 1, (W + 2p - F) / s + 1), device memory; overwritten
/// \param options  padding p >= 0 and stride s >= 1
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out overlaps no other argument. N and K are at most 65535.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: conv2d_tiles for layers with stride 1 and F of 1, 3 or 5 that have few channels or
/// filters (suits_tiles), otherwise conv2d_implicit.
///
/// **Cost**: 2 out CF^2 FLOPs, where out is the number of elements of the output. The least traffic
/// is 4 bytes for every element of in, weights, bias and out.
///
/// **Source**: the definition of a convolution layer, as in Goodfellow, Bengio, Courville, "Deep
/// Learning" (2016), section 9.1.
void conv2d(TensorView<const float> in, TensorView<const float> weights, const float* bias,
            TensorView<float> out, Conv2dOptions options, cudaStream_t stream = nullptr);

/// The same without padding, stride 1.
inline void conv2d(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                   TensorView<float> out, cudaStream_t stream = nullptr) {
  conv2d(in, weights, bias, out, Conv2dOptions{}, stream);
}

}  // namespace tut::ch13
