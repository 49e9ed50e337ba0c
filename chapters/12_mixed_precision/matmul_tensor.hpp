/// \file
/// C = AB on tensor cores, with every pair of input and accumulator types that FP16, BF16 and TF32
/// have: a worked example of chapter 12.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch12 {

/// C = AB on tensor cores, one warp a tile of 16 x 16. C's type is that of the sums: nothing but
/// the accumulator distinguishes the first two. matmul_tf32 rounds its inputs to TF32.
///
/// One kernel for all types, made to look at their accuracy; chapter 09 shows what makes it fast.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `std::runtime_error` for bfloat16 and
/// TF32 on a device below compute capability 8.0; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/16⌉, ⌈M/16⌉), block 32, at most 2 KiB of static shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory, for sizes that 16 divides: s·MNK/8 bytes for inputs of s
/// bytes, and C once.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Matrix Functions".
void matmul_half_sums(MatrixView<const half> a, MatrixView<const half> b, MatrixView<half> c,
                      cudaStream_t stream = nullptr);
void matmul_float_sums(MatrixView<const half> a, MatrixView<const half> b, MatrixView<float> c,
                       cudaStream_t stream = nullptr);
void matmul_bfloat16(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                     MatrixView<float> c, cudaStream_t stream = nullptr);
void matmul_tf32(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                 cudaStream_t stream = nullptr);

}  // namespace tut::ch12
