/// \file
/// Contract of the exercise im2col_nhwc: the matrix of im2col for images with channels innermost.
#pragma once

#include <cuda_runtime.h>

#include "13_convolution/nhwc_view.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut::ch13 {

/// rows(p, k) = the input under tap k when a filter is at pixel p of the output, 0 in the padding.
/// Pixels are numbered (n, y, x), taps (i, j, c): channels innermost, as in memory. Elements are
/// copied bit by bit, NaN and -0 too.
///
/// With C a multiple of 32 the 32 threads of a warp copy 32 channels of one pixel: they read and
/// write 128 bytes in a row.
///
/// \param in       (N, H, W, C), device memory; read only
/// \param rows     (N * out height * out width, F^2 C), device memory; overwritten, its padding
///                 kept
/// \param side     F, the side of the filters
/// \param options  padding and stride
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: rows does not overlap in. in has at most 10^9 elements, and rows at most
/// 4 · 10^9, more than an int counts. F^2 C is at most 2^21 - 32: the grid has no more than 65535
/// blocks along y.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size, F or the stride of the filters
/// is below 1, the padding below 0, the stride of rows below its row, or data null;
/// `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈pixels/8⌉, ⌈F^2 C/32⌉), block (32, 8), no shared memory.
///
/// **Cost**: no FLOPs; 4 F^2 C pixels bytes written, and without padding as many read, all
/// coalesced where 32 divides C.
///
/// **Source**: as im2col.
void im2col_nhwc(NhwcView<const float> in, MatrixView<float> rows, int side, Conv2dOptions options,
                 cudaStream_t stream = nullptr);

}  // namespace tut::ch13
