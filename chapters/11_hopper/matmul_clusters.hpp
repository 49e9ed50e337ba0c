/// \file
/// C = ABᵀ by clusters of two blocks that share what TMA brings of B: the fifth worked example of
/// chapter 11.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch11 {

/// C = ABᵀ; factors in bfloat16, sums in FP32, each rounded once to bfloat16. As matmul_persistent,
/// by clusters of two blocks whose tiles of 128 x 256 lie one above the other, so that both need
/// the same columns of B. Each block copies its own rows of A, and half of B's tile into the shared
/// memory of both. A stage is empty when the consumers of both blocks have multiplied it.
///
/// \param a       (M, K), row-major, device memory, stride >= K and a multiple of 8; read only
/// \param b       (N, K), row-major, device memory, stride >= K and a multiple of 8; read only
/// \param c       (M, N), row-major, device memory, any stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, or if a or b has a stride that is no
/// multiple of 8 elements or does not begin at a multiple of 16 bytes; `std::runtime_error` where
/// the compute capability is not 9.0; `tut::CudaError` if the launch fails.
///
/// **Launch**: clusters of 2 blocks, as many as there are pairs of multiprocessors or
/// ⌈M/256⌉ ⌈N/256⌉, whichever is less; block (384), 230,400 bytes of dynamic shared memory.
///
/// **Cost**: 2MNK FLOPs, MNK/262,144 products of wgmma. Global memory, where 256, 256 and 64 divide
/// M, N and K: MNK/64 bytes of A and B (each is read N/256 or M/256 times) and 2MN of C.
///
/// **Source**: PTX ISA, "Cluster of Cooperative Thread Arrays", "Tensor copy"; CUDA C++ Programming
/// Guide, "Thread Block Clusters".
void matmul_clusters(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                     MatrixView<__nv_bfloat16> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch11
