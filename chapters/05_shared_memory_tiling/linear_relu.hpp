/// \file
/// Contract of the exercise linear_relu: a layer y = max(xWᵀ + bias, 0) in one tiled kernel.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch05 {

/// y = max(xWᵀ + bias, 0) in FP32, in one launch: a fully connected layer together with its bias
/// and ReLU.
///
/// The weights are stored as frameworks do it: each row of W belongs to one output. Global memory
/// is read along rows. The worked solution stages the tile of W in the order in which it lies in
/// memory; the product then walks down a column of the tile, which needs padding. A sum that is NaN
/// stays NaN: max(NaN, 0) = NaN here. An infinity or a NaN in an input reaches every output whose
/// sum contains it, even where the other factor is 0 (0·∞ is NaN), and no other; -∞ becomes 0.
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
/// **Launch**: grid (⌈out/32⌉, ⌈batch/32⌉), block (32, 32), 8320 bytes of static shared memory.
///
/// **Cost**: 2·batch·out·in FLOPs and 2·batch·out for bias and ReLU. Global memory, for sizes that
/// 32 divides and rows that begin at multiples of 32 bytes: batch·out·in/4 bytes for the tiles,
/// 4·batch·out each for the bias and for y. Bias and ReLU in kernels of their own would move
/// 16·batch·out bytes more. No shared memory bank conflicts.
///
/// **Source**: CUDA C++ Best Practices Guide, "Shared Memory in Matrix Multiplication (C=AAT)".
void linear_relu(MatrixView<const float> x, MatrixView<const float> w, const float* bias,
                 MatrixView<float> y, cudaStream_t stream = nullptr);

}  // namespace tut::ch05
