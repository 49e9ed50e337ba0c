/// \file
/// C = AB with swizzled tiles in place of padded ones: the third worked example of chapter 10.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch10 {

/// C = AB; factors in half or bfloat16, sums in FP32. The same as matmul_ldmatrix, but tiles have
/// no padding: chunk c of row r lies where chunk c ^ (r % 8) would.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1, and M is at most
/// 65535 · 64.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `std::runtime_error` below compute
/// capability 8.0; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/64⌉, ⌈M/64⌉), block (128), 16,384 bytes of static shared memory.
///
/// **Cost**: 2MNK FLOPs, MNK/2048 products of mma.sync. Global memory, where 64 divides all sizes:
/// MNK/16 bytes of A and B (each is read N/64 or M/64 times) and 4MN of C. Shared memory: MNK/16
/// bytes written, MNK/8 read, without bank conflicts.
///
/// **Source**: PTX ISA, "Warp-level matrix load instruction: ldmatrix"; CUDA C++ Programming Guide,
/// "Shared Memory".
void matmul_swizzled(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                     cudaStream_t stream = nullptr);

/// The same in bfloat16.
void matmul_swizzled(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                     MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch10
