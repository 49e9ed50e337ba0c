/// \file
/// C = AB with asynchronous copies into two stages of shared memory: the fifth step of chapter 07.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch07 {

/// C = AB in FP32; while a block multiplies the tiles of one step of k, the tiles of the next are
/// on their way into a second stage, past the registers.
///
/// B comes 16 bytes a copy. A is transposed on the way, which takes copies of 4 bytes: 4 for a
/// thread and step, beside 512 multiply-adds. GPUs before compute capability 8.0 have no
/// asynchronous copies; there the same source waits for each.
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
/// memory: 8 passes through the banks for 64 multiply-adds, no conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Asynchronous Data Copies".
void matmul_async(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                  cudaStream_t stream = nullptr);

}  // namespace tut::ch07
