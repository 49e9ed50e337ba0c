/// \file
/// How a warpgroup's sums get to C by way of shared memory: stmatrix, then TMA.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstring>

#include "10_mma_pipelines/swizzle.hpp"
#include "11_hopper/wgmma.cuh"
#include "tut/ptx/bulk_copy.cuh"
#include "tut/ptx/stmatrix.cuh"
#include "tut/ptx/tensor_copy.cuh"

namespace tut::ch11 {

/// Rows and columns of a warp's piece of C: rows of 128 bytes, as wide as the swizzle.
inline constexpr int PIECE_ROWS = 16, PIECE_COLS = 64;

/// Two pieces of a warp, (row, col), swizzled: one is written while TMA still reads the other.
using WarpPieces = __nv_bfloat16[2][PIECE_ROWS * PIECE_COLS];

//! [stage_sums]
/// Rounds the sums of columns 64 p to 64 p + 63 and writes them to `piece`. stmatrix stores four
/// 8 x 8 at once, and each lane has just the pairs that it asks for: of rows 0 to 7 and 8 to 15 in
/// 8 columns, then the same in the next 8.
template <int SUMS>
__device__ __forceinline__ void stage_sums(const float (&sums)[SUMS], int p, __nv_bfloat16* piece) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int j = 0; j < PIECE_COLS / 16; ++j) {
    unsigned pairs[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int i = (p * 4 + j) * 8 + 2 * e;
      const __nv_bfloat162 pair = __floats2bfloat162_rn(sums[i], sums[i + 1]);
      memcpy(&pairs[e], &pair, sizeof(pairs[e]));
    }
    ptx::stmatrix_x4(piece + ch10::swizzled<PIECE_COLS>(lane % 16, j * 16 + lane / 16 * 8), pairs);
  }
}
//! [stage_sums]

//! [store_by_tma]
/// Has TMA write a warp's 16 rows of sums to C at (row, col), what lies inside of C. The copies
/// read `pieces` until wait_for_stores.
template <int SUMS>
__device__ __forceinline__ void store_by_tma(const CUtensorMap& c, int row, int col,
                                             const float (&sums)[SUMS], WarpPieces& pieces) {
  const bool first_lane = threadIdx.x % 32 == 0;
#pragma unroll
  for (int p = 0; p < 2 * SUMS / PIECE_COLS; ++p) {
    __nv_bfloat16* piece = pieces[p % 2];
    if (first_lane)
      ptx::cp_async_bulk_wait_group_read<1>();  // the copy before the last has read it
    __syncwarp();
    stage_sums(sums, p, piece);
    ptx::fence_proxy_async();  // TMA sees what this lane wrote
    __syncwarp();              // and what the others wrote
    if (first_lane) {
      ptx::cp_async_bulk_tensor_2d_to_global(c, col + p * PIECE_COLS, row, piece);
      ptx::cp_async_bulk_commit_group();
    }
  }
}

/// Shared memory must not end before TMA has read it.
__device__ __forceinline__ void wait_for_stores() {
  if (threadIdx.x % 32 == 0) ptx::cp_async_bulk_wait_group_read<0>();
}
//! [store_by_tma]

}  // namespace tut::ch11
