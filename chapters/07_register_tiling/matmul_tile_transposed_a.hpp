/// \file
/// Contract of the exercise matmul_tile_transposed_a: C = AᵀB with register tiles.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch07 {

/// C = AᵀB in FP32, in one launch; every thread computes 4 x 4 elements of C or more, with 16 bytes
/// an access to each matrix whose rows all begin at multiples of 16 bytes. Training a network needs
/// such products.
///
/// A lies in memory as a register tile wants it in shared memory, (k, row): nothing is transposed.
///
/// Infinities and NaN take part as in any sum of products, 0 times infinity being NaN: what is in a
/// column of A reaches that row of C, what is in B its column, and the rest stays finite.
///
/// \param a       (K, M), row-major, device memory, stride >= M; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1 and at most 10⁹, and M at
/// most 65535 · 8.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/64⌉, ⌈M/64⌉), block 256, 8 KiB of static shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory: MNK/8 + 4MN bytes for sizes that 64 divides and rows that
/// begin at multiples of 32 bytes; whole sectors only. No shared memory bank conflicts.
///
/// **Source**: NVIDIA, CUTLASS documentation, "Efficient GEMM in CUDA".
void matmul_tile_transposed_a(MatrixView<const float> a, MatrixView<const float> b,
                              MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch07
