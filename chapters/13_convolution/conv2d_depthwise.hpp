/// \file
/// Contract of the exercise conv2d_depthwise: each channel has a filter of its own.
#pragma once

#include <cuda_runtime.h>

#include "13_convolution/convolution_shape.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch13 {

/// The largest filter of conv2d_depthwise.
inline constexpr int depthwise_max_side = 7;

/// Convolves channel c with filter c and nothing else; stride 1, padding p, zeros outside:
///
///     out(n, c, y, x) = bias[c] + sum over i, j of
///                       in(n, c, y + i - p, x + j - p) * weights(c, 0, i, j)
///
/// No product is shared between channels, so there is no matrix product to make of it: what is left
/// to save are loads. A block stages the pixels under its tile of the output, in the worked
/// solution 8 x 32, with their border of F - 1, in shared memory, whatever F is; each is then used
/// F^2 times. An infinity or NaN in a pixel reaches the outputs whose filter has a tap on it, even
/// one of weight 0, and no others.
///
/// \param in       (N, C, H, W), device memory; read only
/// \param weights  (C, 1, F, F), device memory, F at most 7; read only
/// \param bias     (C), device memory; read only
/// \param out      (N, C, H + 2p - F + 1, W + 2p - F + 1), device memory; overwritten
/// \param padding  p >= 0
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out overlaps no other argument. NC is at most 65535, and out has at most 2^19 - 8
/// rows: a grid has no more than 65535 blocks along y or z. in and out have
/// at most 10^9 elements each. Weights are finite.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1, F above 7, p below
/// 0, or data null; `tut::CudaError` if the launch fails.
///
/// Accuracy: let an element v be the sum of n products and the bias, and S the sum of the absolute
/// values of these n + 1 terms. For random numbers, whose roundings do not all go one way, v is off
/// by at most 2^-24 (|v| + 2 sqrt(n + 1) S).
///
/// **Launch**: grid (⌈out width/32⌉ ⌈out height/8⌉ NC), block (32, 8), 2128 bytes of static
/// shared memory.
///
/// **Cost**: 2 out F^2 FLOPs, where out is the number of elements of the output. Global memory: for
/// each tile 4 (F + 7)(F + 31) bytes of pixels and 1024 written, and for each of its 8 warps 4 F^2
/// of weights, in sectors of which a bias and the ends of a filter take 64 more; no shared memory
/// bank conflicts.
///
/// **Source**: F. Chollet, "Xception: Deep Learning with Depthwise Separable Convolutions" (2017).
void conv2d_depthwise(TensorView<const float> in, TensorView<const float> weights,
                      const float* bias, TensorView<float> out, int padding,
                      cudaStream_t stream = nullptr);

}  // namespace tut::ch13
