/// \file
/// C = AB on tensor cores with the tiles of a block in shared memory: the second worked example of
/// chapter 09.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch09 {

/// C = AB; factors in half or bfloat16, sums in FP32. A block of 16 warps stages tiles of A and B
/// in padded shared memory; each warp computes one 16 x 16 tile of the block's 64 x 64.
///
/// Tiles are staged 16 bytes for each thread where a matrix allows it (16-byte aligned, rows a
/// multiple of 16 bytes apart), else and at the edge element by element.
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
/// **Launch**: grid (⌈N/64⌉, ⌈M/64⌉), block (512), 34,304 bytes of static shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory, where 64 divides M and N and 32 divides K: MNK/16 bytes of
/// A and B (each is read N/64 or M/64 times) and 4MN of C. Shared memory: MNK/16 bytes written,
/// MNK/4 read, without bank conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Matrix Functions"; CUDA C++ Best Practices Guide,
/// "Shared Memory and Memory Banks".
void matmul_wmma_staged(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                        cudaStream_t stream = nullptr);

/// The same in bfloat16.
void matmul_wmma_staged(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                        MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch09
