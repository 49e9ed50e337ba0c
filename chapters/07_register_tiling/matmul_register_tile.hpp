/// \file
/// C = AB with a square of C in the registers of each thread: the second step of chapter 07.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch07 {

/// C = AB in FP32; every thread computes 8 x 8 elements of C. For each k it reads 8 words of A and
/// 8 of B, and multiplies each with each.
///
/// A thread's rows are 16 apart, and so are its columns: neighbouring threads own neighbouring
/// elements, so that no two read different words of one bank.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/128⌉, ⌈M/128⌉), block 256, 8 KiB of static shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory: MNK/16 + 4MN bytes for sizes that 128 divides. Shared
/// memory: 16 warp-wide reads for 64 multiply-adds, no bank conflicts.
///
/// **Source**: V. Volkov, J. W. Demmel, "Benchmarking GPUs to tune dense linear algebra", 2008.
void matmul_register_tile(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                          cudaStream_t stream = nullptr);

}  // namespace tut::ch07
