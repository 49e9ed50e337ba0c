/// \file
/// C = ABᵀ with a warpgroup that copies and two that multiply: the third worked example of
/// chapter 11.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch11 {

/// C = ABᵀ; factors in bfloat16, sums in FP32, each rounded once to bfloat16. A block computes
/// 128 x 256 of C. Of its three warpgroups the first is the producer: one of its threads has TMA
/// fill four stages in turn. The others are consumers, with 64 x 256 of C each. Each stage has two
/// mbarriers: `full`, at which consumers wait for its tiles, and `empty`, at which the producer
/// waits for the consumers' products. Nothing else holds them together. setmaxnreg moves registers
/// from the producer to the consumers: 40 and 232 a thread.
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
/// **Launch**: grid (⌈N/256⌉, ⌈M/128⌉), block (384), 197,632 bytes of dynamic shared memory.
///
/// **Cost**: as matmul_tma_pipeline's: 2MNK FLOPs, MNK/262,144 products of wgmma; 3MNK/128 bytes of
/// A and B and 2MN of C.
///
/// **Source**: M. Bauer, H. Cook, B. Khailany, CudaDMA: Optimizing GPU Memory Bandwidth via Warp
/// Specialization, SC 2011; NVIDIA CUTLASS documentation, "Efficient GEMM in CUDA"; PTX ISA,
/// "mbarrier", "setmaxnreg".
void matmul_specialised(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                        MatrixView<__nv_bfloat16> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch11
