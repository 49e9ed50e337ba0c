/// \file
/// C = scale · ABᵀ in FP8 with sums that are promoted to FP32: the sixth worked example of
/// chapter 11.
#pragma once

#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch11 {

/// C = scale_a scale_b ABᵀ; factors in E4M3, C in FP32. A block computes 128 x 128 of C by a
/// producer and two consumer warpgroups, as in matmul_specialised; a step has 128 k's, whose rows
/// are again 128 bytes.
///
/// Hopper's tensor cores add products of FP8 with about 14 bits. So the sums of one step, four
/// products of wgmma.m64n128k32, begin at zero in registers of their own, and CUDA cores add them
/// to the FP32 sums: the error of an element no longer grows with K.
///
/// \param a        (M, K), row-major, device memory, stride >= K and a multiple of 16; read only
/// \param b        (N, K), row-major, device memory, stride >= K and a multiple of 16; read only
/// \param c        (M, N), row-major, device memory, any stride >= N; overwritten, its padding kept
/// \param scale_a  what an element of a has to be multiplied by; finite
/// \param scale_b  likewise of b
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1, and M is at most
/// 65535 · 128.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, or if a or b has a stride that is no
/// multiple of 16 elements or does not begin at a multiple of 16 bytes; `std::runtime_error` where
/// the compute capability is not 9.0; `tut::CudaError` if the launch fails.
///
/// Accuracy, for random numbers: with S the sum of the absolute values of an element's K products,
/// times the scales, it is off by at most (2 sqrt(min(K, 128)) 2^-13 + 2 sqrt(K) 2^-23) S. Sums
/// that stay in tensor cores are off by more: of 4096 positive products by several hundredths of S.
///
/// **Launch**: grid (⌈N/128⌉, ⌈M/128⌉), block (384), 132,096 bytes of dynamic shared memory.
///
/// **Cost**: 2MNK FLOPs, MNK/262,144 products of wgmma, and MNK/128 additions on CUDA cores. Global
/// memory, where 128 divides all sizes: MNK/64 bytes of A and B and 4MN of C.
///
/// **Source**: DeepSeek-AI, DeepSeek-V3 Technical Report, 2024, section 3.3.2; PTX ISA, "wgmma".
void matmul_fp8(MatrixView<const __nv_fp8_e4m3> a, MatrixView<const __nv_fp8_e4m3> b,
                MatrixView<float> c, float scale_a, float scale_b, cudaStream_t stream = nullptr);

}  // namespace tut::ch11
