/// \file
/// Contract of the exercise rotate_tiled: a matrix turned by 90 degrees through a tile.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch05 {

/// Rotates a matrix by 90 degrees clockwise, in one launch: out(j, M - 1 - i) = in(i, j).
///
/// The first column of in, read from the bottom up, becomes the first row of out. Both matrices are
/// accessed along their rows; the rows become columns on the way through a tile of shared memory,
/// which is padded in the worked solution. Every value keeps all of its bits, infinities and NaN
/// too.
///
/// \param in      (M, N), row-major, device memory, stride >= N; read only
/// \param out     (N, M), row-major, device memory, stride >= M; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap in. Every size is at least 1 and at most 10⁹, and M at most
/// 65535 · 8.
///
/// Errors: `std::invalid_argument` if out is not (N, M); `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/32⌉, ⌈M/32⌉), block (32, 8), 4224 bytes of static shared memory.
///
/// **Cost**: no FLOPs; 8MN bytes of global memory for sizes that 32 divides and rows that begin at
/// multiples of 32 bytes, the least possible; no shared memory bank conflicts.
///
/// **Source**: as transpose_tiled; CUDA C++ Best Practices Guide, "Shared Memory and Memory Banks".
void rotate_tiled(MatrixView<const float> in, MatrixView<float> out, cudaStream_t stream = nullptr);

}  // namespace tut::ch05
