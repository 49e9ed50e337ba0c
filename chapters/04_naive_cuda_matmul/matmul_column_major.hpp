/// \file
/// Contract of the exercise matmul_column_major: C = AB as BLAS stores matrices, coalesced.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch04 {

/// C = AB in FP32 for column-major matrices, in one launch; no sum is divided between threads.
///
/// Element (row, col) of a column-major matrix with leading dimension ld lies at [row + col * ld]:
/// columns are contiguous, and ld counts elements from one column to the next. Indices are computed
/// in 64 bits.
///
/// An infinity or a NaN in an input reaches every element of C whose sum contains it, even where
/// the other factor is 0 (0·∞ is NaN), and no other element.
///
/// \param m       rows of A and C, 1 to 10⁹
/// \param n       columns of B and C, 1 to 65535 · 8
/// \param k       columns of A and rows of B, 1 to 10⁹
/// \param a       (m, k), column-major, device memory; read only
/// \param lda     leading dimension of a, at least m
/// \param b       (k, n), column-major, device memory; read only
/// \param ldb     leading dimension of b, at least k
/// \param c       (m, n), column-major, device memory; overwritten, its padding kept
/// \param ldc     leading dimension of c, at least m
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b.
///
/// Errors: `std::invalid_argument` if a size is below 1 or a leading dimension is too small;
/// `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈m/32⌉, ⌈n/32⌉), block (32, 32), no shared memory.
///
/// **Cost**: 2mnk FLOPs. Global memory, for sizes that 32 divides and columns that begin at
/// multiples of 32 bytes: 5mnk bytes for A and B, as in matmul_coalesced, and 4mn for C.
///
/// **Source**: cuBLAS documentation, "Data Layout".
void matmul_column_major(int m, int n, int k, const float* a, int lda, const float* b, int ldb,
                         float* c, int ldc, cudaStream_t stream = nullptr);

}  // namespace tut::ch04
