/// \file
/// C = AB, a thread per element of C, a warp down a column of C: how not to do it (chapter 04).
#pragma once

#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch04 {

/// C = AB in FP32, one thread per element of C; threadIdx.x runs down the columns of A and C.
///
/// The same arithmetic as matmul_coalesced, 33/5 of its memory traffic.
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
/// **Launch**: grid (⌈M/32⌉, ⌈N/32⌉), block (32, 32), no shared memory.
///
/// **Cost**: 2MNK FLOPs. For sizes that 32 divides a warp requests, for each k, 32 sectors of A (32
/// bytes each, of which it uses 4) and one of B: 33MNK bytes in all, and 32MN for C.
///
/// **Source**: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".
void matmul_uncoalesced(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                        cudaStream_t stream = nullptr);

}  // namespace tut::ch04
