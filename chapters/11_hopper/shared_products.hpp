/// \file
/// Nothing but products: how fast wgmma is where its operands are always in shared memory.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

namespace tut::ch11 {

/// Threads of a block: two warpgroups, each with 64 rows of A and all columns of B.
inline constexpr int PRODUCTS_THREADS = 256;

/// Columns of B, and k's, of a step of products: rows of 128 bytes.
template <class T>
inline constexpr int products_columns = sizeof(T) == 1 ? 128 : 256;
template <class T>
inline constexpr int products_depth = 128 / static_cast<int>(sizeof(T));

/// Element `index` of the tiles, A's first: whole numbers from -3 to 3, as if drawn.
__host__ __device__ constexpr int products_element(unsigned index) {
  return static_cast<int>((index * 2654435761u >> 8) % 7) - 3;
}

/// The products of matmul_clusters (T = __nv_bfloat16) or matmul_fp8 (T = __nv_fp8_e4m3) without
/// their copies: in each block two warpgroups multiply a tile A (128, K) by a tile B (N, K),
/// transposed, `steps` times, with K = products_depth and N = products_columns.
///
/// \param sums    blocks * PRODUCTS_THREADS floats in device memory; overwritten: the sum of all
///                sums of a thread
/// \param blocks  at least 1
/// \param steps   at least 1
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` for blocks or steps below 1; `std::runtime_error` where the
/// compute capability is not 9.0; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (blocks), block (256), 48 or 32 KiB of dynamic shared memory.
///
/// **Cost**: 2 · 128 · N · K FLOPs for each block and step.
///
/// **Source**: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
template <class T>
void shared_products(float* sums, int blocks, int steps, cudaStream_t stream = nullptr);

}  // namespace tut::ch11
