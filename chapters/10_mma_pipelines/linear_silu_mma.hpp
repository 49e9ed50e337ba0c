/// \file
/// Contract of the exercise linear_silu_mma: a layer y = silu(xWᵀ + bias) that is finished in
/// registers.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch10 {

/// y = silu(xWᵀ + bias) in one launch, by mma.sync.m16n8k16 whatever the sizes, where silu(v) =
/// v / (1 + exp(-v)). Activations and weights are half; sums, bias and silu are FP32, and y is
/// rounded once, at the end, to the nearest half. A lane knows the row and column of each of its
/// sums, so that bias and silu are applied where the sums are, in registers.
///
/// \param x       (batch, in), row-major, device memory, stride >= in; read only
/// \param w       (out, in), row-major, device memory, stride >= in; read only
/// \param bias    out values in device memory; read only
/// \param y       (batch, out), row-major, device memory, stride >= out; overwritten, padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: y overlaps no input, and all numbers are finite. batch is at most 65535 · 8
/// (524,280), and no row has more than 10^9 elements.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1 or a stride is below
/// its row; `std::runtime_error` below compute capability 8.0; `tut::CudaError` if the launch
/// fails.
///
/// Accuracy, for random numbers: with s the error that a sum of products and bias may have, (2
/// sqrt(in) + 1/2) 2^-23 times the sum of the absolute values of its terms, an element is off by at
/// most 1.1 s + 2^-20 |y| + 2^-30 before it is rounded to half.
///
/// **Launch**: grid (⌈out/64⌉, ⌈batch/64⌉), block (128), 18,432 bytes of static shared memory.
///
/// **Cost**: 2·batch·out·in FLOPs in batch·out·in/2048 products of mma.sync, and an exponential for
/// each element of y. Global memory, where 64 divides all sizes: batch·out·in/16 bytes for the
/// tiles; batch·out/2 for the bias, since of each 16 x 8 of y a lane loads the bias of its two
/// columns once, for both of its rows; 2·batch·out for y, each element stored once. Four lanes
/// store 16 bytes of a row, half a sector, so that 4·batch·out move for y. Shared memory:
/// batch·out·in/16 bytes written and batch·out·in/8 read, by a warp for 32 x 32 elements of y,
/// without bank conflicts.
///
/// **Source**: PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type"; S. Elfwing,
/// E. Uchibe, K. Doya, Sigmoid-Weighted Linear Units for Neural Network Function Approximation in
/// Reinforcement Learning, Neural Networks, 2018.
void linear_silu_mma(MatrixView<const __half> x, MatrixView<const __half> w, const float* bias,
                     MatrixView<__half> y, cudaStream_t stream = nullptr);

}  // namespace tut::ch10
