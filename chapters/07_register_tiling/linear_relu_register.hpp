/// \file
/// Contract of the exercise linear_relu_register: a layer y = max(xWᵀ + bias, 0) with register
/// tiles.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch07 {

/// y = max(xWᵀ + bias, 0) in FP32, in one launch; every thread computes 4 x 4 elements of y, with
/// 16 bytes an access to the bias, if it begins at a multiple of 16 bytes, and to each matrix whose
/// rows all do. Bias and ReLU are applied to sums that are still in registers.
///
/// For each k a thread reads 8 words of shared memory, and multiplies 16 times.
///
/// Both x and W lie with k along their rows, so both tiles are transposed on their way into shared
/// memory. A NaN stays a NaN: max(NaN, 0) = NaN here. Infinities and NaN take part as in any sum of
/// products, 0 times infinity being NaN: what is in x reaches its row of y, what is in a row of W
/// its column.
///
/// \param x       (batch, in), row-major, device memory, stride >= in; read only
/// \param w       (out, in), row-major, device memory, stride >= in; read only
/// \param bias    out values in device memory; read only
/// \param y       (batch, out), row-major, device memory, stride >= out; overwritten, padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: y overlaps no input. Every size is at least 1 and at most 10⁹, and batch at most
/// 65535 · 8.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈out/64⌉, ⌈batch/64⌉), block 256, 8.5 KiB of static shared memory.
///
/// **Cost**: 2·batch·out·in FLOPs and 2·batch·out for bias and ReLU. Global memory, for sizes that
/// 64 divides and rows that begin at multiples of 32 bytes: batch·out·in/8 bytes for the tiles,
/// batch·out/2 for the bias, 4·batch·out for y; whole sectors only. No shared memory bank
/// conflicts.
///
/// **Source**: NVIDIA, CUTLASS documentation, "Efficient GEMM in CUDA" ("Epilogue").
void linear_relu_register(MatrixView<const float> x, MatrixView<const float> w, const float* bias,
                          MatrixView<float> y, cudaStream_t stream = nullptr);

}  // namespace tut::ch07
