/// \file
/// The gradients of a convolution with respect to its weights and bias, on tensor cores.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "13_convolution/nhwc_view.hpp"

namespace tut::ch13 {

/// How many floats of scratch memory conv2d_wmma_backward_weights needs for an output of so many
/// pixels.
std::size_t conv2d_wmma_backward_weights_scratch(NhwcView<const float> d_weights, int out_pixels);

/// The gradients that conv2d_backward_weights computes, with factors in T, __half, __nv_bfloat16 or
/// Tf32; sums and results in FP32, as the optimiser wants them; NHWC as in conv2d_wmma. As a
/// product with a split depth:
///
///     d_weights (K, F^2 C) = d_out^T (K, pixels) * rows (pixels, F^2 C)
///
/// The slices, and those of the bias, are added up in a fixed order: equal inputs give equal bits.
///
/// \param in         (N, H, W, C), device memory; read only
/// \param d_out      (N, (H + 2p - F) / s + 1, (W + 2p - F) / s + 1, K), device memory; read only
/// \param d_weights  (K, F, F, C) in FP32, device memory; overwritten
/// \param d_bias     (K) in FP32, device memory; overwritten
/// \param scratch    device memory for at least the floats asked for above; overwritten
/// \param options    those of conv2d_wmma
/// \param stream     stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. K is at most 2^21.
///
/// Errors: as conv2d_wmma, and `std::invalid_argument` if the scratch memory is too small.
///
/// **Launch**: grid (⌈F^2 C/64⌉ ⌈K/64⌉, 1, slices), for 16 filters and fewer (⌈F^2 C/128⌉, 1,
/// slices), block 128, 28 KiB of static shared memory, of TF32 36; about 512 blocks; for the bias
/// grid (slices of 256 pixels, ⌈K/32⌉), block 32; then sum_slices for each.
///
/// **Cost**: 2 K CF^2 pixels FLOPs; 8 bytes of scratch memory for each slice and weight.
///
/// **Source**: the chain rule applied to conv2d's definition.
template <class T>
void conv2d_wmma_backward_weights(NhwcView<const T> in, NhwcView<const T> d_out,
                                  NhwcView<float> d_weights, float* d_bias,
                                  std::span<float> scratch, Conv2dOptions options,
                                  cudaStream_t stream = nullptr);

}  // namespace tut::ch13
