/// \file
/// Transpose through shared memory, read and written in whole lines: a worked example of chapter
/// 05.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch05 {

/// out = Aᵀ; both matrices are accessed in whole rows of a tile, which turns in shared memory.
///
/// \param in      (M, N), row-major, device memory, stride >= N; read only
/// \param out     (N, M), row-major, device memory, stride >= M; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap in. Every size is at least 1.
///
/// Errors: `std::invalid_argument` if out is not (N, M); `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/32⌉, ⌈M/32⌉), block (32, 8), 4224 bytes of static shared memory.
///
/// **Cost**: no FLOPs; 8MN bytes of global memory for sizes that 32 divides, the least possible; no
/// shared memory bank conflicts.
///
/// **Source**: CUDA C++ Best Practices Guide, "Shared Memory and Memory Banks"; G. Ruetsch and
/// P. Micikevicius, "Optimizing Matrix Transpose in CUDA", NVIDIA, 2009.
void transpose_tiled(MatrixView<const float> in, MatrixView<float> out,
                     cudaStream_t stream = nullptr);

}  // namespace tut::ch05
