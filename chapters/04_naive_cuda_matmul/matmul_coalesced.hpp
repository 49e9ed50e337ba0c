/// \file
/// C = AB, a thread per element of C, a warp along a row of C: the worked example of chapter 04.
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch04 {

/// C = AB in FP32, one thread per element of C; threadIdx.x runs along the rows of B and C.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/32⌉, ⌈M/32⌉), block (32, 32), no shared memory.
///
/// **Cost**: 2MNK FLOPs. For sizes that 32 divides a warp requests, for each k, one sector of A (32
/// bytes, of which it uses 4) and four of B: 5MNK bytes in all, and 4MN for C. The least possible
/// is 4(MK + KN + MN); caches make up a part of the difference.
///
/// **Source**: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".
void matmul_coalesced(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                      cudaStream_t stream = nullptr);

}  // namespace tut::ch04
