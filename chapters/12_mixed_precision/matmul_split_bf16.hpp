/// \file
/// Contract of the exercise matmul_split_bf16: C = AB for FP32 matrices by three bfloat16 products.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch12 {

/// C = AB for FP32 matrices, in one launch, by tensor cores that multiply bfloat16, whatever the
/// sizes; they are twice as fast as with TF32.
///
/// Each element is split into two bfloat16 numbers when it is staged, x = hi + lo, and the product
/// is lo*hi + hi*lo + hi*hi; the worked solution adds the small terms first. A pair has 16
/// significant bits, so this is less than FP32 (24) and more than TF32 (11). Unlike FP16, bfloat16
/// has float's exponent: no element overflows on the way, up to bfloat16's largest, 3.3895e38.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. M is at most 65535 · 8 (524,280), and no row has more
/// than 10^9 elements. Elements are finite, and no larger than the largest of bfloat16.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1 or a stride is below
/// its row; `std::runtime_error` on a device below compute capability 8.0; `tut::CudaError` if the
/// launch fails.
///
/// Accuracy: each product is off by at most 3 * 2^-16 of itself, if each of its factors is 0 or has
/// an absolute value of at least 2^-118, and the product is 0 or a normal float. To add the
/// products up costs at most 2 sqrt(K) 2^-23 Σ |a(i, k) b(k, j)| more, the sum over k, for random
/// numbers, whose roundings do not all go one way.
///
/// **Launch**: grid (⌈N/16⌉, ⌈M/16⌉), block 32, 3 KiB of static shared memory.
///
/// **Cost**: 6MNK FLOPs on tensor cores for the 2MNK of the product. Global memory, for sizes that
/// 16 divides: MNK/2 + 4MN bytes.
///
/// **Source**: G. Henry, P. T. P. Tang, A. Heinecke, "Leveraging the bfloat16 Artificial
/// Intelligence Datatype For Higher-Precision Computations", ARITH 2019.
void matmul_split_bf16(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                       cudaStream_t stream = nullptr);

}  // namespace tut::ch12
