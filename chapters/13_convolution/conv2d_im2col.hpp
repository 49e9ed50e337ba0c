/// \file
/// A convolution as a product of stored matrices: im2col, a matmul, and a copy to where it belongs.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "13_convolution/convolution_shape.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// How many floats of scratch memory conv2d_im2col needs: (CF^2 + K) * pixels.
std::size_t conv2d_im2col_scratch(const ConvolutionShape& shape);

/// The convolution of conv2d, with padding and stride, in three steps: im2col writes the matrix of
/// columns, matmul_tiled of chapter 05 multiplies it by the weights, and, since the product is
/// (K, N, pixels of an image) where the output is (N, K, pixels of an image), a copy reorders it
/// and adds the bias.
///
/// \param in       (N, C, H, W), device memory; read only
/// \param weights  (K, C, F, F), device memory; read only
/// \param bias     (K), device memory; read only
/// \param out      (N, K, (H + 2p - F) / s + 1, (W + 2p - F) / s + 1), device memory; overwritten
/// \param scratch  device memory for at least conv2d_im2col_scratch floats; overwritten
/// \param options  padding p >= 0 and stride s >= 1
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. CF^2 is at most 65535.
///
/// Errors: `std::invalid_argument` if the shapes do not fit or the scratch memory is too small;
/// `tut::CudaError` if a launch fails.
///
/// **Launch**: im2col's, matmul_tiled's, and grid (⌈pixels/256⌉, K), block 256.
///
/// **Cost**: 2 K CF^2 pixels FLOPs. 4 CF^2 pixels bytes written and K CF^2 pixels / 4 requested by
/// the product; 4 K pixels bytes written twice and read once for the order.
///
/// **Source**: as im2col.
void conv2d_im2col(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                   TensorView<float> out, std::span<float> scratch, Conv2dOptions options,
                   cudaStream_t stream = nullptr);

}  // namespace tut::ch13
