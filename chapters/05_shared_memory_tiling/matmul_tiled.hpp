/// \file
/// C = AB through shared memory, one square tile at a time: the worked example of chapter 05.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch05 {

/// C = AB in FP32; every block stages square tiles of A and B in shared memory.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/32⌉, ⌈M/32⌉), block (32, 32), 8 KiB of static shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory: MNK/4 + 4MN bytes for sizes that 32 divides (A is read N/32
/// times, B M/32 times, C written once); the least possible is 4(MK + KN + MN).
///
/// **Source**: CUDA C++ Programming Guide, "Shared Memory"; CUDA C++ Best Practices Guide,
/// "Shared Memory in Matrix Multiplication (C=AB)".
void matmul_tiled(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                  cudaStream_t stream = nullptr);

}  // namespace tut::ch05
