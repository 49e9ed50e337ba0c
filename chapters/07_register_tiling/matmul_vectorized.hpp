/// \file
/// C = AB with 16 bytes an access, and the tile of A stored transposed: the third step of chapter
/// 07.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch07 {

/// C = AB in FP32; every thread computes 8 x 8 elements of C, and reads and writes four neighbours
/// at a time wherever the matrices allow it: where rows begin at multiples of 16 bytes.
///
/// What a thread reads of A lies in a column. The tile of A is therefore transposed on its way into
/// shared memory, and its rows padded by 4 words: a warp writes them without bank conflicts.
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
/// **Launch**: grid (⌈N/128⌉, ⌈M/128⌉), block 256, 16.25 KiB of static shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory: MNK/16 + 4MN bytes for sizes that 128 divides. Shared
/// memory: 4 instructions for 64 multiply-adds, no bank conflicts.
///
/// **Source**: CUDA C++ Best Practices Guide, "Shared Memory and Memory Banks".
void matmul_vectorized(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                       cudaStream_t stream = nullptr);

}  // namespace tut::ch07
