/// \file
/// C = ABᵀ with the copies of four steps under way: the second worked example of chapter 11.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch11 {

/// C = ABᵀ; factors in bfloat16, sums in FP32, each rounded once to bfloat16. A block of two
/// warpgroups computes 128 x 256 of C, a warpgroup 64 x 256 of it. Four stages of shared memory
/// hold the tiles of four steps of k, each with an mbarrier of its own. While the products of a
/// step run, the block waits for those of the step before, and one thread has TMA fill the stage
/// that is free then.
///
/// \param a       (M, K), row-major, device memory, stride >= K and a multiple of 8; read only
/// \param b       (N, K), row-major, device memory, stride >= K and a multiple of 8; read only
/// \param c       (M, N), row-major, device memory, any stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1, and M is at most
/// 65535 · 128.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, or if a or b has a stride that is no
/// multiple of 8 elements or does not begin at a multiple of 16 bytes; `std::runtime_error` where
/// the compute capability is not 9.0; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/256⌉, ⌈M/128⌉), block (256), 197,632 bytes of dynamic shared memory.
///
/// **Cost**: 2MNK FLOPs, MNK/262,144 products of wgmma. Global memory, where 128, 256 and 64 divide
/// M, N and K: 3MNK/128 bytes of A and B (each is read N/256 or M/128 times) and 2MN of C.
///
/// **Source**: PTX ISA, "mbarrier", "Tensor copy"; NVIDIA CUTLASS documentation, "Pipelining".
void matmul_tma_pipeline(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                         MatrixView<__nv_bfloat16> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch11
