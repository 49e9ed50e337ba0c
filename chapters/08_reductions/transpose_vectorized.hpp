/// \file
/// Transpose through registers, 16 bytes at a time, beside chapter 05's through shared memory.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch08 {

/// out = Aᵀ. Every thread turns 4 x 4 elements in its registers, and a warp 16 rows of 32 columns:
/// it reads 128 bytes of each row and writes 64 of each column, whole sectors on both sides,
/// without shared memory and without a barrier.
///
/// \param in      (M, N), row-major, device memory, stride >= N; read only
/// \param out     (N, M), row-major, device memory, stride >= M; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap in. Every size is at least 1.
///
/// Errors: `std::invalid_argument` if out is not (N, M); `tut::CudaError` if the launch fails.
///
/// **Launch**: blocks of 256 threads, each for 128 rows and 32 columns of in. Where 4 does not
/// divide M, N and both strides, or a matrix does not begin at a multiple of 16 bytes: ch05's
/// transpose_tiled.
///
/// **Cost**: no FLOPs; 8MN bytes, the least possible.
///
/// **Source**: G. Ruetsch and P. Micikevicius, "Optimizing Matrix Transpose in CUDA", NVIDIA, 2009,
/// for the problem.
void transpose_vectorized(MatrixView<const float> in, MatrixView<float> out,
                          cudaStream_t stream = nullptr);

}  // namespace tut::ch08
