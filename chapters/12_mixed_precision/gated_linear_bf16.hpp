/// \file
/// Contract of gated_linear_bf16, the blank-file exercise of part III: two bfloat16 products on
/// tensor cores, joined before they are rounded.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch12 {

/// y = silu(xGᵀ) ⊙ (xUᵀ) in one launch: a gated layer, as large language models have them. With the
/// sums g(i, j) = Σ x(i, k)·G(j, k) and u(i, j) = Σ x(i, k)·U(j, k),
///
///     y(i, j) = silu(g(i, j))·u(i, j),   silu(t) = t / (1 + exp(-t))
///
/// Inputs and y are bfloat16. The products are formed on tensor cores with sums in FP32, silu and
/// the product of the two sums are FP32 as well, and y is rounded once, to the nearest bfloat16.
/// Half would not do in between: its largest number is 65504.
///
/// **Target**, counted for sizes that 128 divides and rows that begin at multiples of 16 bytes:
/// - global memory: MNK/16 bytes for x, G and U together, and 2MN for y; neither g nor u is ever
///   written there;
/// - MNK/2048 products of fragments (16 x 16 x 16), and no CUDA cores in their place at the edges;
/// - asynchronous copies: while a block multiplies, at least 8 KiB are on their way to its shared
///   memory;
/// - 16 bytes a load of global memory, whole sectors only, each element of y stored once;
/// - with M = N = K = 128 at most 2048 bank conflicts, which allows for some at the end, and for
///   none in the steps of k.
///
/// Infinities and NaN take part as in any sum of products: a NaN in a row of x reaches that row of
/// y, one in a row of G or U that column, and no others. Where g is infinite nothing is promised.
///
/// Accuracy, for random numbers: g(i, j) is off by at most 2 sqrt(K) 2⁻²³ Σ |x(i, k)·G(j, k)|, the
/// sum over k, u(i, j) by the same with U, and silu and the last product by 2⁻²⁰ |y(i, j)|, all
/// before y is rounded.
///
/// \param x       (M, K), row-major, device memory, any address, stride >= K; read only
/// \param gate    G, (N, K), row-major, device memory, any address, stride >= K; read only
/// \param up      U, (N, K), row-major, device memory, any address, stride >= K; read only
/// \param y       (M, N), row-major, device memory, any address, stride >= N; overwritten, its
///                padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: y overlaps no input. M is at most 65535 · 8, and no row has more than 10⁹
/// elements.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1 or a stride is below
/// its row; `std::runtime_error` on a device below compute capability 8.0; `tut::CudaError` if the
/// launch fails.
///
/// **Launch**: as you like.
///
/// **Cost**: 4MNK FLOPs of the products, MN exponentials; bytes as in the target.
///
/// **Source**: N. Shazeer, GLU Variants Improve Transformer (2020), SwiGLU.
void gated_linear_bf16(MatrixView<const __nv_bfloat16> x, MatrixView<const __nv_bfloat16> gate,
                       MatrixView<const __nv_bfloat16> up, MatrixView<__nv_bfloat16> y,
                       cudaStream_t stream = nullptr);

}  // namespace tut::ch12
