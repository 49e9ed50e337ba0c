/// \file
/// A warp's tile of C, 64 x 64, in registers: the fragments that 16 k's of it take, and its sums.
#pragma once

#include "10_mma_pipelines/mma.cuh"
#include "10_mma_pipelines/swizzled_tile.cuh"

namespace tut::ch10 {

/// Rows and columns of a warp's tile of C.
inline constexpr int WARP_M = 64, WARP_N = 64;

//! [warp_tile]
/// Of 16 k's: 64 rows of A and 64 columns of B.
struct WarpFragments {
  unsigned a[WARP_M / MMA_M][4];  // [i]: 16 rows from 16 i
  unsigned b[WARP_N / 16][2][2];  // [j][h]: 8 columns from 16 j + 8 h

  /// From swizzled tiles (·, BK) of A and (BK, BN) of B: rows from `row`, columns from `col`, k's
  /// from k on; all three are multiples of 16. 16 rows further down a chunk has the same place in
  /// its line, so that one address serves all rows of A, and one for each j all k's of B.
  template <int BK, int BN, class T>
  __device__ __forceinline__ void load(const T* a_tile, const T* b_tile, int row, int col, int k) {
    const int down = lane_of_thread() % 16, right = lane_of_thread() / 16 * CHUNK;
    const T* a_from = a_tile + swizzled<BK>(row + down, k + right);
#pragma unroll
    for (int i = 0; i < WARP_M / MMA_M; ++i) ptx::ldmatrix_x4(a[i], a_from + i * MMA_M * BK);
#pragma unroll
    for (int j = 0; j < WARP_N / 16; ++j) {
      unsigned four[4];
      ptx::ldmatrix_x4_trans(four, b_tile + swizzled<BN>(down, col + j * 16 + right) + k * BN);
      b[j][0][0] = four[0], b[j][0][1] = four[1];
      b[j][1][0] = four[2], b[j][1][1] = four[3];
    }
  }
};

/// [i][j]: 16 rows from 16 i, 8 columns from 8 j; 128 sums in each lane.
using WarpSums = float[WARP_M / MMA_M][WARP_N / MMA_N][4];

/// Adds the 32 products of the fragments: 8 loads have brought them.
template <class T>
__device__ __forceinline__ void multiply_add(WarpSums& sums, const WarpFragments& parts) {
#pragma unroll
  for (int i = 0; i < WARP_M / MMA_M; ++i) {
#pragma unroll
    for (int j = 0; j < WARP_N / MMA_N; ++j) {
      multiply_add<T>(sums[i][j], parts.a[i], parts.b[j / 2][j % 2]);
    }
  }
}
//! [warp_tile]

}  // namespace tut::ch10
