/// \file
/// Contract of the exercise matmul_register_row: C = AB with a part of a row of C in the registers
/// of each thread.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch07 {

/// C = AB in FP32, in one launch; every thread computes 8 elements of one row of C. A word of A
/// that it reads from shared memory serves all 8.
///
/// In matmul_register_column the 8 elements of a thread are neighbours, one below the other. In a
/// row they must not be: neighbouring threads own neighbouring columns, and the columns of one
/// thread are 8 apart.
///
/// Infinities and NaN take part as in any sum of products, 0 times infinity being NaN: what is in A
/// reaches its row of C, what is in B its column, and the rest stays finite.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1 and at most 10⁹, and M at
/// most 65535 · 8.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/64⌉, ⌈M/64⌉), block 512, 4 KiB of static shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory: MNK/8 + 4MN bytes for sizes that 64 divides and rows that
/// begin at multiples of 32 bytes; whole sectors only. No shared memory bank conflicts.
///
/// **Source**: V. Volkov, J. W. Demmel, "Benchmarking GPUs to tune dense linear algebra", 2008.
void matmul_register_row(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream = nullptr);

}  // namespace tut::ch07
