/// \file
/// Contract of attention, the blank-file exercise of part IV: softmax(QKᵀ/√d) V without the matrix
/// of scores.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch16 {

/// Elements of a query, of a key and of a value.
inline constexpr int HEAD_SIZE = 64;

/// The forward pass of attention, for several heads at once: of each head
///
///     score(i, j) = sum over c of q(i, c)·k(j, c) / √64
///     out(i, c)   = sum over j of exp(score(i, j))·v(j, c) / sum over j of exp(score(i, j))
///
/// Head h has columns 64h to 64h + 63 of all four matrices, so H heads take matrices of 64H
/// columns. Inputs and result are half; scores, exponentials' sums and the sums of the result are
/// FP32. An exponential may be rounded to half before it is multiplied by a value, provided that it
/// is at most 1: exp(score - m) with an m that is no smaller than the scores seen so far.
///
/// **Target**, counted for sizes that 64 divides and rows that begin at multiples of 16 bytes:
/// - global memory: 4MN + 256M bytes a head. That leaves no room for the scores, which are never
///   written to global memory, and a block works on 64 queries or more;
/// - MN/32 products of fragments (16 x 16 x 16) a head: both products are formed on tensor cores,
///   at the edges too, and no score is formed twice;
/// - 16 bytes an access to global memory, whole sectors only, each element of `out` stored once.
///
/// Scores may be large: those of ±10000 give finite results. A NaN in a row of Q makes that row of
/// the head NaN and no other, one in V its column of `out`; a NaN in K and infinities anywhere are
/// the caller's problem.
///
/// Accuracy: with p(i, j) the exact weights, whose sum is 1, an element of `out` is off by at most
/// 2⁻⁹ Σ p(i, j)|v(j, c)| + 2⁻²⁴ Σ |v(j, c)| + 2⁻²⁵, as long as Σ|q k|/8 is below 100.
///
/// \param q       queries, (M, 64H), row-major, device memory, any address, stride >= 64H; read
///                only
/// \param k       keys, (N, 64H), likewise
/// \param v       values, (N, 64H), likewise
/// \param out     (M, 64H), row-major, device memory, any address, stride >= 64H; overwritten, its
///                padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out overlaps no input. M and N are at most 10⁶, H at most 1000.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, 64 does not divide the columns, a size
/// is below 1 or a stride is below its row; `tut::CudaError` if the launch fails.
///
/// **Launch**: one kernel, shaped as you like.
///
/// **Cost**: 256MN FLOPs of the products a head, MN exponentials; bytes as in the target.
///
/// **Source**: Vaswani et al., Attention Is All You Need (2017), equation 1; Milakov and
/// Gimelshein, Online normalizer calculation for softmax (2018); Dao et al., FlashAttention (2022).
void attention(MatrixView<const __half> q, MatrixView<const __half> k, MatrixView<const __half> v,
               MatrixView<__half> out, cudaStream_t stream = nullptr);

}  // namespace tut::ch16
