/// \file
/// C = AB with copies, loads of fragments and products at the same time: the fifth worked example
/// of chapter 10.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch10 {

/// C = AB; factors in half or bfloat16, sums in FP32. A block of 8 warps computes 128 x 256 of C, a
/// warp 64 x 64 of it. While a warp multiplies the fragments of 16 k's it loads those of the next
/// 16, also from the tiles of the next step, and asynchronous copies fill the tiles of two steps
/// more. Blocks that run together share rows of A and columns of B, and C is written 16 bytes at a
/// time by way of shared memory.
///
/// On a device that gives a block less than 147,456 bytes of shared memory there are two stages,
/// and copies fill the tiles of one step more.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1, and ⌈M/128⌉ ⌈N/256⌉ below
/// 2³¹.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `std::runtime_error` below compute
/// capability 8.0; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈M/128⌉ ⌈N/256⌉), block (256), 147,456 bytes of dynamic shared memory.
///
/// **Cost**: 2MNK FLOPs, MNK/2048 products of mma.sync. Global memory, where 128, 256 and 64 divide
/// M, N and K: 3MNK/128 bytes of A and B (each is read N/256 or M/128 times) and 4MN of C. Shared
/// memory: 3MNK/128 bytes written, MNK/16 read, and 8MN for C, without bank conflicts.
///
/// **Source**: PTX ISA, "mma", "ldmatrix", "cp.async"; NVIDIA CUTLASS documentation, "Efficient
/// GEMM in CUDA".
void matmul_pipelined(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                      cudaStream_t stream = nullptr);

/// The same in bfloat16.
void matmul_pipelined(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                      MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch10
