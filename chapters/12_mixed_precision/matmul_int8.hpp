/// \file
/// Contract of the exercise matmul_int8: a product of 8-bit integers on tensor cores, scaled to
/// float.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch12 {

/// The largest K for which no sum can leave an int: 131,071 products of -128 and -128 are 2^31 -
/// 16,384.
inline constexpr int MOST_INT8_PRODUCTS = 131'071;

/// C = scale * ABᵀ in one launch, on tensor cores whatever the sizes. The factors are signed 8-bit
/// integers, all 256 of them. The sums are integers and exact; each is converted to float once, at
/// the end, and then multiplied by the scale.
///
/// If A and B hold quantised numbers, a = A * scale_a and b = B * scale_b, then `scale` is the
/// product of both scales, and C is the product of a and b. B has a row for each column of C, as
/// the weights of a layer have a row for each output.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (N, K), row-major, device memory, stride >= K; read only
/// \param scale   a finite number
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. M is at most 65535 · 8 (524,280), and no row of C has
/// more than 10^9 elements.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1, K is above
/// MOST_INT8_PRODUCTS or a stride is below its row; `std::runtime_error` on a device below compute
/// capability 7.2; `tut::CudaError` if the launch fails.
///
/// Accuracy: with a scale of 1, a sum below 2^24 in absolute value comes out exactly. In general an
/// element that is a normal float is off by at most 2^-23 of itself, from the two roundings at the
/// end.
///
/// **Launch**: grid (⌈N/64⌉, ⌈M/64⌉), block 128, 10,240 bytes of static shared memory.
///
/// **Cost**: 2MNK integer operations. Global memory, where 64 divides M and N and 32 divides K:
/// MNK/32 bytes of A and B and 4MN of C. No shared memory bank conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Matrix Functions"; B. Jacob et al., "Quantization
/// and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference", CVPR 2018.
void matmul_int8(MatrixView<const signed char> a, MatrixView<const signed char> b, float scale,
                 MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch12
