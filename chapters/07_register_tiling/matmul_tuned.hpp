/// \file
/// C = AB by the kernel that the tuner's choice makes: the last step of chapter 07.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch07 {

/// C = AB in FP32; a thread computes 8 x 16 elements of C, a warp 64 x 64, a block 128 x 128.
/// Copies run three steps of k ahead, and what a thread multiplies next is read while it
/// multiplies.
///
/// A block has 128 threads of up to 255 registers, so two blocks share a multiprocessor and cover
/// each other's barriers. Blocks go down groups of 16 rows of tiles, so that those that run at the
/// same time share what they read, in the L2 cache.
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
/// **Launch**: grid ⌈M/128⌉·⌈N/128⌉, block 128, 32.5 KiB of dynamic shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory: MNK/16 + 4MN bytes for sizes that 128 divides. Shared
/// memory: 6 instructions and 12 passes through the banks for 128 multiply-adds, no conflicts.
///
/// **Source**: NVIDIA, CUTLASS documentation, "Efficient GEMM in CUDA".
void matmul_tuned(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                  cudaStream_t stream = nullptr);

}  // namespace tut::ch07
