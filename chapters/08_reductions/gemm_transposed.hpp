/// \file
/// Contract of gemm_transposed, the blank-file exercise of part II: C = alpha AᵀBᵀ + beta C in
/// FP32.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch08 {

/// C = alpha·AᵀBᵀ + beta·C in FP32, in one launch: element (i, j) of the product is the sum over k
/// of A(k, i)·B(j, k).
///
/// **Target**, counted for sizes that 128 divides and rows that begin at multiples of 32 bytes:
/// - global memory: MNK/16 bytes for A and B, and 4MN for C, or 8MN where beta is not 0;
/// - shared memory: for each of the MNK multiply-adds, all threads together read at most 0.3 words
///   of 4 bytes, and there are no bank conflicts;
/// - whole sectors of 32 bytes only; where rows begin at multiples of 16 bytes, a store brings 16
///   bytes of a thread, and a load of global memory more than 5 on average: if A is loaded 16 bytes
///   at a time and B 4, the average is 6.4;
/// - each element of C is stored once, by one thread that has formed its whole sum.
///
/// With beta = 0 the old C is not read, so it may be uninitialised, or NaN. Infinities and NaN take
/// part as in any sum of products, 0 times infinity being NaN: what is in a column of A reaches
/// that row of C, what is in a row of B its column, what is in C its element if beta is not 0. With
/// alpha = 0 nothing is promised of those in A and B.
///
/// Accuracy, for random numbers: an element is off by at most |alpha| (2 sqrt(K) + 2) 2⁻²⁴ times
/// the sum of the sizes of its K products, and by 2⁻²³ of beta·C.
///
/// \param alpha   factor of the product
/// \param a       (K, M), row-major, device memory, any address, stride >= M; read only
/// \param b       (N, K), row-major, device memory, any address, stride >= K; read only
/// \param beta    factor of what C holds before
/// \param c       (M, N), row-major, device memory, any address, stride >= N; overwritten, its
///                padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at most 10⁹, and M at most 65535 · 8.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1 or a stride is below
/// its row; `tut::CudaError` if the launch fails.
///
/// **Launch**: as you like.
///
/// **Cost**: 2MNK + 3MN FLOPs; bytes as in the target.
///
/// **Source**: Dongarra et al., A Set of Level 3 Basic Linear Algebra Subprograms (1990), xGEMM.
void gemm_transposed(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                     MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch08
