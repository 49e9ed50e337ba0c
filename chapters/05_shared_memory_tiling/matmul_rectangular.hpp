/// \file
/// Contract of the exercise matmul_rectangular: C = AB with tiles that are not square.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch05 {

/// C = AB in FP32, in one launch; a block of 256 threads computes an 8 x 32 tile of C.
///
/// The worked solution takes 32 of k at a time. The tile of A, (8, 32), has as many elements as the
/// block has threads. The tile of B, (32, 32), has four times as many, so every thread stages four
/// of its elements.
///
/// An infinity or a NaN in an input reaches every element of C whose sum contains it, even where
/// the other factor is 0 (0·∞ is NaN), and no other element.
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
/// **Launch**: grid (⌈N/32⌉, ⌈M/8⌉), block (32, 8), 5 KiB of static shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory: 5MNK/8 + 4MN bytes for sizes that 32 divides and rows that
/// begin at multiples of 32 bytes (A is read N/32 times, B M/8 times, C written once); no shared
/// memory bank conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Shared Memory".
void matmul_rectangular(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                        cudaStream_t stream = nullptr);

}  // namespace tut::ch05
