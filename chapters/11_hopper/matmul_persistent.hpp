/// \file
/// C = ABᵀ by blocks that stay: one a multiprocessor, each of which computes tile after tile. The
/// fourth worked example of chapter 11.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch11 {

/// C = ABᵀ; factors in bfloat16, sums in FP32, each rounded once to bfloat16. There are as many
/// blocks as multiprocessors; block b computes tiles b, b + blocks, b + 2 blocks and so on of
/// 128 x 256, in the order of ch10::block_place, with the warpgroups of matmul_specialised. The
/// producer does not wait at the end of a tile: while consumers store one, it fills the stages for
/// the next. Sums go to C by stmatrix and TMA, 16 x 64 of a warp at a time, or, where C's layout is
/// not one that TMA takes, straight from registers.
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
/// **Launch**: grid of as many blocks as multiprocessors or ⌈M/128⌉ ⌈N/256⌉, whichever is less,
/// block (384), 230,400 bytes of dynamic shared memory.
///
/// **Cost**: 2MNK FLOPs, MNK/262,144 products of wgmma. Global memory, where 128, 256 and 64 divide
/// M, N and K: 3MNK/128 bytes of A and B and 2MN of C; shared memory: 4MN bytes more for C, without
/// bank conflicts.
///
/// **Source**: NVIDIA CUTLASS documentation, "Efficient GEMM in CUDA", "Persistent kernels"; PTX
/// ISA, "stmatrix", "Async proxy".
void matmul_persistent(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                       MatrixView<__nv_bfloat16> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch11
