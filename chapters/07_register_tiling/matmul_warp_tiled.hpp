/// \file
/// C = AB with a tile of C for each warp: the fourth step of chapter 07.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch07 {

/// C = AB in FP32; every thread computes 8 x 8 elements of C, every warp 32 x 64: 96 words of a
/// tile's row and column, where matmul_vectorized's warps of 16 x 128 read 144.
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
/// **Source**: NVIDIA, CUTLASS documentation, "Efficient GEMM in CUDA" ("Warp-level GEMM").
void matmul_warp_tiled(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                       cudaStream_t stream = nullptr);

}  // namespace tut::ch07
