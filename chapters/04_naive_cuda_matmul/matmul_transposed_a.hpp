/// \file
/// Contract of the exercise matmul_transposed_a: C = AᵀB, every access coalesced.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch04 {

/// C = AᵀB in FP32, in one launch; no sum is divided between threads. Training a neural network
/// needs products of this form (chapter 13).
///
/// An infinity or a NaN in an input reaches every element of C whose sum contains it, even where
/// the other factor is 0 (0·∞ is NaN), and no other element.
///
/// \param a       (K, M), row-major as given, device memory, stride >= M; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1 and at most 10⁹, and M at
/// most 65535 · 8.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/32⌉, ⌈M/32⌉), block (32, 32), no shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory, for sizes that 32 divides and rows that begin at multiples
/// of 32 bytes: 5MNK bytes for A and B, as in matmul_coalesced, and 4MN for C.
///
/// **Source**: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".
void matmul_transposed_a(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream = nullptr);

}  // namespace tut::ch04
