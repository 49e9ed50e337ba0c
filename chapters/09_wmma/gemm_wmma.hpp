/// \file
/// Contract of the exercise gemm_wmma: C = alpha AB + beta C, scaled element by element in
/// fragments whose layout is not specified.
#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch09 {

/// C = alpha AB + beta C in one launch, on tensor cores whatever the sizes; factors in half, sums
/// in FP32. The worked solution has one warp for each tile of 16 x 16, as matmul_wmma.
///
/// With beta = 0 the values of C before do not matter and are not read: NaN there stays out of the
/// result. alpha and beta scale in FP32, whatever their size: half holds neither 1e-6 nor 70000.
/// Either may be infinite or NaN.
/// With alpha = 0 A and B need not be read, as in BLAS; with another alpha infinities and NaN in
/// them reach the elements that they are factors of, as IEEE 754 has it, and no others.
///
/// \param alpha   factor of the product
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param beta    factor of what C holds before
/// \param c       (M, N), row-major, device memory, stride >= N; read unless beta = 0, overwritten,
///                its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. M is at most 65535 · 8 (524,280), and no row has more
/// than 10^9 elements.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1 or a stride is below
/// its row; `tut::CudaError` if the launch fails.
///
/// Accuracy, for random numbers, whose roundings do not all go one way: an element is off by at
/// most |alpha| (2 sqrt(K) + 1) 2^-23 times the sum of the absolute values of its K products, and
/// by 2^-23 of beta C.
///
/// **Launch**: grid (⌈N/16⌉, ⌈M/16⌉), block (32), 2304 bytes of static shared memory.
///
/// **Cost**: 2MNK + 3MN FLOPs. Global memory, where 16 divides all sizes: MNK/2 bytes move for A
/// and B (twice what is asked for, as in matmul_wmma), 4MN to write C and 4MN to read it. No shared
/// memory bank conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Matrix Functions".
void gemm_wmma(float alpha, MatrixView<const __half> a, MatrixView<const __half> b, float beta,
               MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch09
