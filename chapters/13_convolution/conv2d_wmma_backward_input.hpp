/// \file
/// The gradient of a convolution with respect to its input, on tensor cores.
#pragma once

#include <cuda_runtime.h>

#include "13_convolution/nhwc_view.hpp"

namespace tut::ch13 {

/// The gradient that conv2d_backward_input computes, with factors in T, __half, __nv_bfloat16 or
/// Tf32, sums in FP32 and the result in U, float or T; NHWC as in conv2d_wmma. As a product:
///
///     d_in (pixels, C) = rows (pixels, F^2 K) * weights (F^2 K, C)
///
/// where a row holds, for each tap, the K gradients that were computed with this tap over the
/// pixel.
///
/// \param d_out    (N, (H + 2p - F) / s + 1, (W + 2p - F) / s + 1, K), device memory; read only
/// \param weights  (K, F, F, C), device memory; read only
/// \param d_in     (N, H, W, C), device memory; overwritten
/// \param options  those of conv2d_wmma
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. The input has at most 2^22 pixels.
///
/// Errors: as conv2d_wmma.
///
/// **Launch**: that of conv2d_wmma, with C for its K and the input's pixels.
///
/// **Cost**: 2NHWCKF^2 FLOPs, of which with stride s only one in s^2 has a factor that is no zero.
///
/// **Source**: the chain rule applied to conv2d's definition.
template <class T, class U>
void conv2d_wmma_backward_input(NhwcView<const T> d_out, NhwcView<const T> weights,
                                NhwcView<U> d_in, Conv2dOptions options,
                                cudaStream_t stream = nullptr);

}  // namespace tut::ch13
