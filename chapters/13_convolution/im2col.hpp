/// \file
/// The matrix that turns a convolution into a product: each column holds what a filter sees.
#pragma once

#include <cuda_runtime.h>

#include "13_convolution/convolution_shape.hpp"
#include "tut/matrix/matrix_view.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// columns(k, p) = the input under tap k when a filter is at pixel p of the output, 0 in the
/// padding. Taps are numbered (c, i, j), pixels (n, y, x).
///
/// \param in       (N, C, H, W), device memory; read only
/// \param columns  (CF^2, N * out height * out width), device memory; overwritten, its padding kept
/// \param side     F, the side of the filters
/// \param options  padding and stride
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: columns does not overlap in. CF^2 is at most 65535.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈pixels/256⌉, CF^2), block 256.
///
/// **Cost**: no FLOPs. 4 CF^2 pixels bytes written, as many read (most from caches): with stride 1
/// each pixel of the input is copied F^2 times.
///
/// **Source**: K. Chellapilla, S. Puri, P. Simard, "High Performance Convolutional Neural Networks
/// for Document Processing" (2006).
void im2col(TensorView<const float> in, MatrixView<float> columns, int side, Conv2dOptions options,
            cudaStream_t stream = nullptr);

}  // namespace tut::ch13
