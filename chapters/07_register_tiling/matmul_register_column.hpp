/// \file
/// C = AB with a column of C in the registers of each thread: the first step of chapter 07.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch07 {

/// C = AB in FP32; every thread computes 8 elements of C, one below the other. A word of B that it
/// reads from shared memory serves all 8.
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
/// **Launch**: grid (⌈N/64⌉, ⌈M/64⌉), block 512, 4 KiB of static shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory: MNK/8 + 4MN bytes for sizes that 64 divides (A is read N/64
/// times, B M/64 times, C written once). Shared memory: 9 warp-wide reads for 8 multiply-adds.
///
/// **Source**: V. Volkov, J. W. Demmel, "Benchmarking GPUs to tune dense linear algebra", 2008.
void matmul_register_column(MatrixView<const float> a, MatrixView<const float> b,
                            MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch07
