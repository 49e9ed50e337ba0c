/// \file
/// A product of matrices that exist nowhere in memory: their elements are fetched by an index map.
/// Forward and both gradients of a convolution are this kernel with three pairs of maps.
#pragma once

#include <cuda_runtime.h>

#include "tut/check.hpp"
#include "tut/math.hpp"

namespace tut::ch13 {

/// `Operands` has `rows`, `cols` and `depth`, `a(row, k)`, `b(k, col)`, both 0 outside the
/// matrices, `write(slice, row, col, sum)`, and `b_along_k`: whether neighbours in memory are
/// neighbours in k (else in col). Each slice of the grid sums its own part of the depth.
template <class Operands, int BM, int BN, int BK, int TM>
__global__ void __launch_bounds__(BM / TM * 32)
    implicit_gemm_kernel(Operands operands, int slice_depth) {
  constexpr int LANES = 32, WARPS = BM / TM, TN = BN / LANES, THREADS = LANES * WARPS;
  constexpr int PAD =
      4;  // rows of k begin 4 banks apart, so that a column is stored without conflict
  static_assert(BK == 8, "8 rows of k, 4 banks apart, and 4 neighbours: all 32 banks");
  static_assert(BM % TM == 0 && BN % LANES == 0 && BM % (THREADS / BK) == 0);
  __shared__ float a_tile[BK][BM + PAD];  // (k, row)
  __shared__ float b_tile[BK][BN + PAD];  // (k, col)

  const int lane = threadIdx.x;
  const int warp = threadIdx.y;
  const int thread = warp * LANES + lane;
  const int row0 = blockIdx.y * BM;
  const int col0 = blockIdx.x * BN;
  const int first = blockIdx.z * slice_depth;
  const int last = min(first + slice_depth, operands.depth);

  float sum[TM][TN] = {};
  for (int k0 = first; k0 < last; k0 += BK) {
    //! [stage]
    // Stage a tile of each operand; the map says where an element is, or that it is a zero.
    for (int r = thread / BK; r < BM; r += THREADS / BK) {
      const int row = row0 + r, k = k0 + thread % BK;
      a_tile[thread % BK][r] = row < operands.rows && k < last ? operands.a(row, k) : 0.0f;
    }
    if constexpr (Operands::b_along_k) {
      for (int c = thread / BK; c < BN; c += THREADS / BK) {
        const int col = col0 + c, k = k0 + thread % BK;
        b_tile[thread % BK][c] = col < operands.cols && k < last ? operands.b(k, col) : 0.0f;
      }
    } else {
      for (int at = thread; at < BK * BN; at += THREADS) {
        const int col = col0 + at % BN, k = k0 + at / BN;
        b_tile[at / BN][at % BN] = col < operands.cols && k < last ? operands.b(k, col) : 0.0f;
      }
    }
    __syncthreads();
    //! [stage]

    //! [multiply]
    // TM rows and TN columns a thread: TM + TN loads feed TM * TN multiply-adds.
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float b[TN];
#pragma unroll
      for (int j = 0; j < TN; ++j) b[j] = b_tile[k][lane + j * LANES];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
        const float a = a_tile[k][warp * TM + i];
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += a * b[j];
      }
    }
    __syncthreads();
    //! [multiply]
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const int row = row0 + warp * TM + i, col = col0 + lane + j * LANES;
      if (row < operands.rows && col < operands.cols) {
        operands.write(blockIdx.z, row, col, sum[i][j]);
      }
    }
  }
}

inline constexpr int implicit_rows = 32;   // of a block's tile
inline constexpr int implicit_cols = 128;  // of a block's tile

/// Launches the kernel with tiles of 32 x 128 and 128 threads. `slices` parts of the depth, each a
/// multiple of the tile's.
template <class Operands>
void launch_implicit_gemm(const Operands& operands, int slices, cudaStream_t stream) {
  constexpr int BK = 8, TM = 8;
  const dim3 block(32, implicit_rows / TM);
  const dim3 grid(ceil_div(operands.cols, implicit_cols), ceil_div(operands.rows, implicit_rows),
                  slices);
  const int slice_depth = round_up(ceil_div(operands.depth, slices), BK);
  implicit_gemm_kernel<Operands, implicit_rows, implicit_cols, BK, TM>
      <<<grid, block, 0, stream>>>(operands, slice_depth);
  check_launch();
}

}  // namespace tut::ch13
