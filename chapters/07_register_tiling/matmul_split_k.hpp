/// \file
/// Contract of the exercise matmul_split_k: C = AB for a long K, in slices.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch07 {

/// The slices that matmul_split_k cuts K into.
inline constexpr int split_k_slices = 8;

/// C = AB in FP32; blocks compute the products of 8 slices of K, and a second kernel adds them up.
///
/// For a small C and a long K there is one block for each tile of C and too few of them for a GPU:
/// 128 x 128 has 4 tiles of 64 x 64. Slices make 8 times as many blocks, each with a part of one
/// slice. Their sums are added in float, in the order of the slices, so that two runs give the same
/// bits; atomic additions would not.
///
/// Slice s takes ⌈⌈K/16⌉/8⌉ steps of 16: k from s·L to (s + 1)·L, L 16 times that, cut off at K. A
/// slice may have nothing to add; its part is then 0.
///
/// Infinities and NaN take part as in any sum of products, 0 times infinity being NaN: what is in A
/// reaches its row of C, what is in B its column, and the rest stays finite.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param parts   (8M, N), row-major, device memory, stride >= N: room for the slices' products,
///                slice s in rows sM to sM + M - 1; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c and parts overlap neither each other nor a nor b. Every size is at least 1 and
/// at most 10⁹, and M at most 65535 · 8.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if a launch fails.
///
/// **Launch**: grid (⌈N/64⌉, ⌈M/64⌉, 8), block 256, 8.25 KiB of static shared memory; then grid
/// (⌈N/32⌉, ⌈M/8⌉), block (32, 8).
///
/// **Cost**: 2MNK FLOPs, and 7MN to add up. Global memory: MNK/8 bytes for sizes that 64 divides
/// and rows that begin at multiples of 32 bytes, 32MN for writing the parts, 32MN for reading them,
/// 4MN for C; whole sectors only. No shared memory bank conflicts.
///
/// **Source**: NVIDIA, CUTLASS documentation, "Efficient GEMM in CUDA" ("Split K and sliced K").
void matmul_split_k(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                    MatrixView<float> parts, cudaStream_t stream = nullptr);

}  // namespace tut::ch07
