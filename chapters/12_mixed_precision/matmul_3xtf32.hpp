/// \file
/// C = AB in FP32's accuracy on tensor cores, by three TF32 products: a worked example of chapter
/// 12.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch12 {

/// C = AB for FP32 matrices, as accurate as FP32, by tensor cores that multiply TF32.
///
/// Each element is split into two TF32 numbers, x = hi + lo, when its tile is staged. The product
/// is lo*hi + hi*lo + hi*hi, the small terms first; lo*lo is left out. Tensor cores add up no more
/// than 16 products in a row: then the sum so far is taken over by FP32 additions, which round
/// where tensor cores cut bits off.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1. Elements are finite, and
/// below 2^127 in magnitude: the lo of an infinity is NaN. The lo of elements below 2^-102 loses
/// bits.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `std::runtime_error` on a device below
/// compute capability 8.0; `tut::CudaError` if the launch fails.
///
/// Accuracy: each product is off by at most 2^-21 of itself, the sum as one in FP32.
///
/// **Launch**: grid (⌈N/128⌉, ⌈M/128⌉), block 256, 65536 bytes of dynamic shared memory.
///
/// **Cost**: 6MNK FLOPs on tensor cores for the 2MNK of the product. Global memory, for sizes that
/// 128 divides: MNK/16 + 4MN bytes; loads and stores of 16 bytes where the addresses allow.
///
/// **Source**: H. Ootomo, R. Yokota, "Recovering single precision accuracy from Tensor Cores while
/// surpassing the FP32 theoretical peak performance", IJHPCA 36 (2022); NVIDIA CUTLASS, example 27.
void matmul_3xtf32(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                   cudaStream_t stream = nullptr);

}  // namespace tut::ch12
