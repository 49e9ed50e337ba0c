/// \file
/// Contract of the exercise matmul_batched: many products of one shape in one launch.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch04 {

/// C_i = A_i B_i in FP32 for i = 0 .. batch - 1, all in one launch; no sum is divided
/// between threads.
///
/// a, b and c describe the matrices of i = 0. Matrix i begins i * step elements after it; a step of
/// 0 in A or B uses the same matrix for every i.
///
/// An infinity or a NaN in an input reaches every element of C whose sum contains it, even where
/// the other factor is 0 (0·∞ is NaN), and no other element.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param a_step  elements from A_i to A_i+1, 0 or more
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param b_step  elements from B_i to B_i+1, 0 or more
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param c_step  elements from C_i to C_i+1, large enough that the matrices do not overlap
/// \param batch   number of products, 0 to 65535 (the largest gridDim.z)
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no C_i overlaps an input. Every size is at least 1 and at most 10⁹, and M at most
/// 65535 · 8.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, whatever the batch; `tut::CudaError`
/// if the launch fails.
///
/// **Launch**: grid (⌈N/32⌉, ⌈M/8⌉, batch), block (32, 8), no shared memory.
///
/// **Cost**: 2·batch·MNK FLOPs. Global memory, for sizes that 32 divides and rows that begin at
/// multiples of 32 bytes: 5·batch·MNK bytes for A and B, 4·batch·MN for C.
///
/// **Source**: cuBLAS documentation, cublas<t>gemmStridedBatched().
void matmul_batched(MatrixView<const float> a, std::int64_t a_step, MatrixView<const float> b,
                    std::int64_t b_step, MatrixView<float> c, std::int64_t c_step, int batch,
                    cudaStream_t stream = nullptr);

}  // namespace tut::ch04
