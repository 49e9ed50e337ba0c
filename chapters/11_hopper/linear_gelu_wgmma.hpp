/// \file
/// Contract of the exercise linear_gelu_wgmma: a layer y = gelu(xWᵀ + bias) that is finished in
/// registers and leaves by TMA.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch11 {

/// y = gelu(xWᵀ + bias) in one launch, by wgmma.m64n128k16 whatever the sizes, where gelu(v) =
/// v (1 + erf(v / √2)) / 2. Activations and weights are half; sums, bias and gelu are FP32, and y
/// is rounded once, at the end, to the nearest half. Each warp writes its part of y to shared
/// memory by stmatrix, 16 x 64 at a time, swizzled by 128 bytes, and has TMA bring it to y: no
/// thread stores to y itself.
///
/// \param x       (batch, in), row-major, device memory, stride >= in, a multiple of 8; read only
/// \param w       (out, in), row-major, device memory, stride >= in, a multiple of 8; read only
/// \param bias    out values in device memory; read only
/// \param y       (batch, out), row-major, device memory, stride >= out, a multiple of 8;
///                overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: y overlaps no input, and all numbers are finite. batch is at most 65535 · 64.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1, a stride is below
/// its row, or x, w or y has a stride that is no multiple of 8 elements or does not begin at a
/// multiple of 16 bytes; `std::runtime_error` where the compute capability is not 9.0;
/// `tut::CudaError` if the launch fails.
///
/// Accuracy, for random numbers: with s the error that a sum of products and bias may have,
/// (2 sqrt(in) + 1/2) 2^-23 times the sum of the absolute values of its terms, an element is off by
/// at most 1.2 s + 2^-20 |y| + 2^-30 before it is rounded to half.
///
/// **Launch**: grid (⌈out/128⌉, ⌈batch/64⌉), block (128), 40,968 bytes of static shared memory.
///
/// **Cost**: 2·batch·out·in FLOPs in batch·out·in/131,072 products of wgmma, and an error function
/// for each element of y. Global memory, where 64 and 128 divide all sizes: 3·batch·out·in/64 bytes
/// for the tiles, batch·out for the bias, which a thread loads for each of its sums, and
/// 2·batch·out for y. No shared memory bank conflicts.
///
/// **Source**: PTX ISA, "stmatrix", "Async proxy"; D. Hendrycks, K. Gimpel, Gaussian Error Linear
/// Units (GELUs), 2016.
void linear_gelu_wgmma(MatrixView<const __half> x, MatrixView<const __half> w, const float* bias,
                       MatrixView<__half> y, cudaStream_t stream = nullptr);

}  // namespace tut::ch11
