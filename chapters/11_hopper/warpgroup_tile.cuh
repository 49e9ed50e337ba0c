/// \file
/// A warpgroup's tile of C, 64 rows: what it multiplies of swizzled tiles, and where its sums lie.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "11_hopper/sum_layout.hpp"
#include "11_hopper/wgmma.cuh"
#include "tut/matrix/matrix_view.hpp"
#include "tut/ptx/warpgroup.cuh"

namespace tut::ch11 {

/// k's of a step of 16-bit elements: rows of 128 bytes, as wide as the swizzle.
inline constexpr int BK = 64;

//! [descriptor]
/// Describes a tile (·, BK) whose rows run along k, 128 bytes each, as TMA swizzles them: 8 rows
/// are 1024 bytes. `from` is the tile's first element, or 16, 32 or 48 k's right of it: the
/// hardware swizzles the addresses that it makes from there, so that the start of the next product
/// is just 32 bytes further.
template <class T>
__device__ __forceinline__ std::uint64_t describe(const T* from) {
  return ptx::matrix_descriptor(from, 16, 1024, ptx::MatrixSwizzle::bytes_128);
}
//! [descriptor]

//! [multiply_step]
/// Starts the products of one step of k: sums += (64, BK) of A times (BN, BK) of B, transposed.
/// 128 or 256 columns have 64 or 128 sums in a thread.
template <int SUMS>
__device__ __forceinline__ void multiply_step(float (&sums)[SUMS], const __nv_bfloat16* a,
                                              const __nv_bfloat16* b) {
  ptx::wgmma_fence();
#pragma unroll
  for (int k = 0; k < BK; k += WGMMA_K) {
    if constexpr (SUMS == 64) {
      wgmma_m64n128k16_bf16(sums, describe(a + k), describe(b + k));
    } else {
      wgmma_m64n256k16_bf16(sums, describe(a + k), describe(b + k));
    }
  }
  ptx::wgmma_commit_group();
}
//! [multiply_step]

/// Whether pairs of neighbours that begin in an even column can be stored at once.
template <class T>
__host__ __device__ bool takes_pairs(const MatrixView<T>& c) {
  return reinterpret_cast<std::uintptr_t>(c.data) % (2 * sizeof(T)) == 0 && c.stride % 2 == 0;
}

//! [store_sums]
/// Writes a warpgroup's sums to the 64 rows of C from (row, col) on, what lies inside of C. Four
/// lanes write 8 neighbours of a row.
template <int SUMS>
__device__ __forceinline__ void store_sums(MatrixView<__nv_bfloat16> c, int row, int col,
                                           const float (&sums)[SUMS]) {
  const bool pairs = takes_pairs(c);
  const int thread = static_cast<int>(threadIdx.x) % WARPGROUP;
#pragma unroll
  for (int i = 0; i < SUMS; i += 2) {
    const int r = row + row_of_sum(thread, i), s = col + col_of_sum(thread, i);
    if (r >= c.rows || s >= c.cols) continue;
    const __nv_bfloat162 pair = __floats2bfloat162_rn(sums[i], sums[i + 1]);
    if (pairs && s + 1 < c.cols) {
      *reinterpret_cast<__nv_bfloat162*>(&c(r, s)) = pair;
    } else {
      c(r, s) = pair.x;
      if (s + 1 < c.cols) c(r, s + 1) = pair.y;
    }
  }
}
//! [store_sums]

}  // namespace tut::ch11
