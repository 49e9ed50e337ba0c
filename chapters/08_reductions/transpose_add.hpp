/// \file
/// Contract of the exercise transpose_add: out = Aᵀ + B.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch08 {

/// out = Aᵀ + B in one launch, each sum rounded once: transpose_vectorized with something to add
/// where the columns of A come out. The worked solution turns A in registers.
///
/// \param a       (M, N), row-major, device memory, stride >= N; read only
/// \param b       (N, M), row-major, device memory, stride >= M; read only
/// \param out     (N, M), row-major, device memory, stride >= M; overwritten, its padding kept; may
///                be `b` itself
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap a, and is b or does not overlap it. M and N are at most 10⁹,
/// and M · N at most 2³⁴.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1 or a stride is below
/// its row; if 4 does not divide M, N and all strides, or if a matrix does not begin at a multiple
/// of 16 bytes; `tut::CudaError` if the launch fails.
///
/// **Launch**: blocks of 256 threads, each for 128 rows and 32 columns of a.
///
/// **Cost**: MN FLOPs; 12MN bytes.
///
/// **Source**: as transpose_vectorized.
void transpose_add(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out,
                   cudaStream_t stream = nullptr);

}  // namespace tut::ch08
