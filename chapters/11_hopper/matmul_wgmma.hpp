/// \file
/// C = ABᵀ by TMA and wgmma, one step of k at a time: the first worked example of chapter 11.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch11 {

/// C = ABᵀ; factors in bfloat16, sums in FP32, each rounded once to bfloat16. A block is one
/// warpgroup, which computes 64 x 128 of C. For each 64 k's one thread has TMA bring 64 x 64 of A
/// and 128 x 64 of B into shared memory, swizzled by 128 bytes; all wait for them at an mbarrier,
/// multiply them by four wgmma.m64n128k16, and wait for the products.
///
/// \param a       (M, K), row-major, device memory, stride >= K and a multiple of 8; read only
/// \param b       (N, K), row-major, device memory, stride >= K and a multiple of 8; read only
/// \param c       (M, N), row-major, device memory, any stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1, and M is at most
/// 65535 · 64.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, or if a or b has a stride that is no
/// multiple of 8 elements or does not begin at a multiple of 16 bytes; `std::runtime_error` where
/// the compute capability is not 9.0; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/128⌉, ⌈M/64⌉), block (128), 24,584 bytes of static shared memory.
///
/// **Cost**: 2MNK FLOPs, MNK/131,072 products of wgmma. Global memory, where 64 and 128 divide all
/// sizes: 3MNK/64 bytes of A and B (each is read N/128 or M/64 times) and 2MN of C.
///
/// **Source**: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions", "Tensor copy"; CUDA C++
/// Programming Guide, "Tensor Memory Access".
void matmul_wgmma(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                  MatrixView<__nv_bfloat16> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch11
