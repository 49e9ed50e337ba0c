/// \file
/// Contract of the exercise conv1x1_wmma: filters of one tap, with a stride, on tensor cores.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "13_convolution/nhwc_view.hpp"

namespace tut::ch13 {

/// A convolution with filters of 1 x 1, without padding, at every stride-th pixel, in half with
/// sums in FP32; in one launch, on tensor cores whatever the sizes:
///
///     out(n, y, x, k) = bias[k] + sum over c of in(n, y * s, x * s, c) * weights(k, 0, 0, c)
///
/// No pixel is used under two taps, so im2col would copy nothing twice: with stride 1 the input
/// itself is the matrix, (pixels, C). With a larger stride some of its rows are left out. An output
/// is rounded to half once, to infinity beyond the largest half; an infinity or NaN in a pixel
/// reaches all outputs of that pixel, and one in a weight all of its filter, even beside a 0, and
/// no others.
///
/// \param in       (N, H, W, C), device memory; read only
/// \param weights  (K, 1, 1, C), device memory; read only
/// \param bias     (K) in FP32, device memory; read only
/// \param out      (N, (H - 1) / s + 1, (W - 1) / s + 1, K), device memory; overwritten
/// \param stride   s >= 1
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out overlaps no other argument. in and weights begin at multiples of 16 bytes,
/// and C is a multiple of 8. in, weights and out have at most 10^9 elements each. The output has at
/// most 2^22 - 64 pixels: a grid has no more than 65535 blocks along y.
///
/// Errors: `std::invalid_argument` if the shapes or addresses do not fit, a size or s is below 1,
/// or data null; `tut::CudaError` if the launch fails.
///
/// Accuracy: let an element v, before it is rounded to half, be the sum of C products and the bias,
/// and S the sum of the absolute values of these C + 1 terms. For random numbers, whose roundings
/// do not all go one way, v is off by at most 2^-23 (|v| + 2 sqrt(C + 1) S).
///
/// **Launch**: grid (⌈K/64⌉ ⌈pixels/64⌉), block 128, 28 KiB of static shared memory.
///
/// **Cost**: 2 pixels KC FLOPs. For sizes that 64, and for C 32, divide: pixels KC / 16 bytes of in
/// and of weights, 2 pixels K of out, and 4 pixels K for the bias. No shared memory bank conflicts.
///
/// **Source**: as conv2d_wmma; K. He et al., "Deep Residual Learning for Image Recognition" (2016),
/// for where such layers stand.
void conv1x1_wmma(NhwcView<const __half> in, NhwcView<const __half> weights, const float* bias,
                  NhwcView<__half> out, int stride, cudaStream_t stream = nullptr);

}  // namespace tut::ch13
