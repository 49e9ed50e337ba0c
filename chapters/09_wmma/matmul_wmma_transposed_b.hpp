/// \file
/// Contract of the exercise matmul_wmma_transposed_b: C = ABᵀ on tensor cores, B's tile staged as
/// it lies.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch09 {

/// C = ABᵀ in one launch, on tensor cores whatever the sizes; factors in half, sums in FP32. A
/// block stages tiles of A and B in padded shared memory, each as it lies in global memory; in the
/// worked solution each of its 16 warps computes one 16 x 16 tile of 64 x 64.
///
/// The columns of Bᵀ are the rows of B: to a fragment, B's tile is a factor stored column by
/// column. Nobody transposes anything. Infinities and NaN in A and B reach the elements of C that
/// they are factors of, as IEEE 754 has it, and no others.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (N, K), row-major, device memory, stride >= K; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. M is at most 65535 · 8 (524,280), and no row has more
/// than 10^9 elements.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1 or a stride is below
/// its row; `tut::CudaError` if the launch fails.
///
/// Accuracy, for random numbers, whose roundings do not all go one way: an element is off by at
/// most 2 sqrt(K) 2^-23 times the sum of the absolute values of its K products.
///
/// **Launch**: grid (⌈N/64⌉, ⌈M/64⌉), block (512), 34,816 bytes of static shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory, where 64 divides M and N and 32 divides K: MNK/16 bytes of
/// A and B and 4MN of C. Shared memory: MNK/16 bytes written and MNK/4 read, by a warp for 16 x 16
/// elements of C, without bank conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Matrix Functions".
void matmul_wmma_transposed_b(MatrixView<const __half> a, MatrixView<const __half> b,
                              MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch09
