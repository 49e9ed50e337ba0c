/// \file
/// Contract of the exercise matmul_mma_transposed_b: C = ABᵀ on fragments that each lane loads by
/// hand.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch10 {

/// C = ABᵀ in one launch, by mma.sync.m16n8k16 whatever the sizes; factors in half, sums in FP32. B
/// has a row for each column of C, so that both elements of a register are neighbours in memory,
/// for A and for B. Infinities and NaN in A and B reach the elements of C that they are factors of,
/// as IEEE 754 has it, and no others.
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
/// its row; `std::runtime_error` below compute capability 8.0; `tut::CudaError` if the launch
/// fails.
///
/// Accuracy, for random numbers, whose roundings do not all go one way: an element is off by at
/// most 2 sqrt(K) 2^-23 times the sum of the absolute values of its K products.
///
/// **Launch**: grid (⌈N/64⌉, ⌈M/64⌉), block (128), 18,432 bytes of static shared memory.
///
/// **Cost**: 2MNK FLOPs, MNK/2048 products of mma.sync. Global memory, where 64 divides all sizes:
/// MNK/16 bytes of A and B and 4MN of C. Shared memory: MNK/16 bytes written and MNK/8 read, as a
/// warp's tile has 32 x 32 elements of C and no fragment is loaded twice, without bank conflicts. A
/// warp with a smaller tile reads more than the budget allows.
///
/// **Source**: PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type".
void matmul_mma_transposed_b(MatrixView<const __half> a, MatrixView<const __half> b,
                             MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch10
