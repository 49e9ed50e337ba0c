/// \file
/// C = AB on tensor cores, a warp for each 16 x 16 tile of C, fragments straight from global
/// memory: the first worked example of chapter 09.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch09 {

/// C = AB; factors in half or bfloat16, products exact, sums in FP32. One warp for each tile of 16
/// x 16.
///
/// Tiles at the edge, and all tiles of a matrix that wmma cannot read where it lies (not 32-byte
/// aligned, or rows no multiple of 16 bytes apart), go through shared memory, element by element.
///
/// \param a       (M, K), row-major, device memory, stride >= K; read only
/// \param b       (K, N), row-major, device memory, stride >= N; read only
/// \param c       (M, N), row-major, device memory, stride >= N; overwritten, its padding kept
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: c overlaps neither a nor b. Every size is at least 1.
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `std::runtime_error` for bfloat16
/// below compute capability 8.0; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (⌈N/16⌉, ⌈M/16⌉), block (32), 2304 bytes of static shared memory.
///
/// **Cost**: 2MNK FLOPs. Global memory, where 16 divides all sizes: MNK/4 bytes of A and B (each is
/// read N/16 or M/16 times) and 4MN of C. A request takes 16 bytes from each of 8 rows, half of
/// each sector that it touches: without caches MNK/2 bytes move.
///
/// **Source**: CUDA C++ Programming Guide, "Warp Matrix Functions".
void matmul_wmma(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                 cudaStream_t stream = nullptr);

/// The same in bfloat16.
void matmul_wmma(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                 MatrixView<float> c, cudaStream_t stream = nullptr);

}  // namespace tut::ch09
