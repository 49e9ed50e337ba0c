/// \file
/// C = AB on tensor cores with 16 fragments of C in each warp and tiles of A and B on their way
/// while others are multiplied: the third worked example of chapter 09.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch09 {

/// C = AB; factors in half or bfloat16, sums in FP32. A block of 8 warps computes 128 x 256 of C, a
/// warp 64 x 64 of it, while asynchronous copies fill the tiles of the next two steps of k.
///
/// On a device that gives a block less than 81,408 bytes of shared memory this is
/// matmul_wmma_two_stages.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `std::runtime_error` for bfloat16
/// below compute capability 8.0; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/256⌉, ⌈M/128⌉), block (256), 81,408 bytes of dynamic shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory, where 128, 256 and 32 divide M, N and K: 3MNK/128 bytes of
/// A and B (each is read N/256 or M/128 times) and 4MN of C. Shared memory: 3MNK/128 bytes written,
/// MNK/16 read, without bank conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Matrix Functions", "Asynchronous Data Copies".
void matmul_wmma_tiled(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                       cudaStream_t stream = nullptr);

/// The same in bfloat16.
void matmul_wmma_tiled(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                       MatrixView<float> c, cudaStream_t stream = nullptr);

/// matmul_wmma_tiled with the tiles of one step on their way, not of two: 54,272 bytes of dynamic
/// shared memory, else the same.
void matmul_wmma_two_stages(MatrixView<const __half> a, MatrixView<const __half> b,
                            MatrixView<float> c, cudaStream_t stream = nullptr);
/// The same in bfloat16.
void matmul_wmma_two_stages(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                            MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch09
