/// \file
/// Contract of the exercise transpose_add: out = Aᵀ + B, turned in registers.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix_view.hpp"

namespace tut::ch08 {

/// out = Aᵀ + B: transpose_vectorized with something to add where the columns of A come out.
///
/// \param a       (M, N), row-major, device memory, stride >= N; read only
/// \param b       (N, M), row-major, device memory, stride >= M; read only
/// \param out     (N, M), row-major, device memory, stride >= M; overwritten, its padding kept; may
///                be `b` itself
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap a.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, if 4 does not divide M, N and all
/// strides, or if a matrix does not begin at a multiple of 16 bytes; `tut::CudaError` if the launch
/// fails.
///
/// **Launch**: blocks of 256 threads, each for 128 rows and 32 columns of a.
///
/// **Cost**: MN FLOPs; 12MN bytes.
///
/// **Source**: as transpose_vectorized.
void transpose_add(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out,
                   cudaStream_t stream = nullptr);

}  // namespace tut::ch08
