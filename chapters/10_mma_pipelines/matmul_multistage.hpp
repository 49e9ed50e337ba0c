/// \file
/// C = AB with the tiles of later steps on their way while this step is multiplied: the fourth
/// worked example of chapter 10.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch10 {

/// C = AB; factors in half or bfloat16, sums in FP32. A block of 4 warps computes 128 x 128 of C, a
/// warp 64 x 64 of it, while asynchronous copies fill the swizzled tiles of the next two steps.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1, and M is at most
/// 65535 · 128.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `std::runtime_error` below compute
/// capability 8.0; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/128⌉, ⌈M/128⌉), block (128), 98,304 bytes of dynamic shared memory.
///
/// **Cost**: 2MNK FLOPs, MNK/2048 products of mma.sync. Global memory, where 128 divides M and N
/// and 64 divides K: MNK/32 bytes of A and B (each is read N/128 or M/128 times) and 4MN of C.
/// Shared memory: MNK/32 bytes written, MNK/16 read, without bank conflicts.
///
/// **Source**: PTX ISA, "cp.async", "cp.async.wait_group".
void matmul_multistage(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                       cudaStream_t stream = nullptr);

/// The same in bfloat16.
void matmul_multistage(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                       MatrixView<float> c, cudaStream_t stream = nullptr);

/// matmul_multistage with two stages, the tiles of one step on their way: 65,536 bytes of dynamic
/// shared memory, else the same.
void matmul_two_stages(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                       cudaStream_t stream = nullptr);
/// The same in bfloat16.
void matmul_two_stages(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                       MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch10
