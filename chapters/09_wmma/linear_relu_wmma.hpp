/// \file
/// Contract of the exercise linear_relu_wmma: a layer y = max(xWᵀ + bias, 0) in mixed precision.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch09 {

/// y = max(xWᵀ + bias, 0) in one launch, on tensor cores whatever the sizes: activations and
/// weights in half, sums and bias in FP32, y rounded once, at the end, to the nearest half.
///
/// The bias belongs to a column, and CUDA does not specify which element of a fragment is in which
/// column: the worked solution's warps store their sums to shared memory and finish them there. A
/// NaN stays a NaN, and what rounds beyond the largest half becomes infinity.
///
/// \param x       (batch, in), row-major, device memory, stride >= in; read only
/// \param w       (out, in), row-major, device memory, stride >= in; read only
/// \param bias    out values in device memory; read only
/// \param y       (batch, out), row-major, device memory, stride >= out; overwritten, padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: y overlaps no input. batch is at most 65535 · 8 (524,280), and no row has more
/// than 10^9 elements.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1 or a stride is below
/// its row; `tut::CudaError` if the launch fails.
///
/// Accuracy, for random numbers, whose roundings do not all go one way: before it is rounded, an
/// element is off by at most (2 sqrt(in) + 1/2) 2^-23 times the sum of the absolute values of its
/// products and of its bias: the bias may be added first or last.
///
/// **Launch**: grid (⌈out/64⌉, ⌈batch/64⌉), block (256), 30,720 bytes of static shared memory.
///
/// **Cost**: 2·batch·out·in FLOPs and 2·batch·out for bias and ReLU. Global memory, where 64
/// divides batch and out and 32 divides in: batch·out·in/16 bytes for the tiles, batch·out/4 for
/// the bias, 2·batch·out for y. Shared memory: batch·out·in/16 bytes written and 3·batch·out·in/16
/// read, by a warp for 16 x 32 elements of y, and 4·batch·out both ways for the sums, without bank
/// conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Matrix Functions".
void linear_relu_wmma(MatrixView<const __half> x, MatrixView<const __half> w, const float* bias,
                      MatrixView<__half> y, cudaStream_t stream = nullptr);

}  // namespace tut::ch09
