/// \file
/// The kernel of chapter 10's first three steps. They differ in how the tiles of a block lie in
/// shared memory, and in how fragments are loaded from there: a structure each.
#pragma once

#include "10_mma_pipelines/mma.cuh"
#include "tut/device/compute_capability.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch10::block_product {

inline constexpr int BM = 64, BN = 64, BK = 64;  // the block's tile of C, and its step of k
inline constexpr int WM = 32, WN = 32;           // the warp's tile of C
inline constexpr int WARPS_ACROSS = BN / WN, WARPS = BM / WM * WARPS_ACROSS, THREADS = 32 * WARPS;

//! [kernel]
/// C = AB. `Tiles` holds (BM, BK) of A and (BK, BN) of B in shared memory:
///   stage(a, b, row0, col0, k0)  fills both, and meets the block's barrier
///   load_a(part, row, k)         loads the fragment of 16 rows and 16 k's
///   load_b(parts, k, col)        loads those of 16 k's and two times 8 columns
template <class Tiles, class T>
__global__ void __launch_bounds__(THREADS)
    block_product_kernel(MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c) {
  if constexpr (has_mma<T>) {
    __shared__ Tiles tiles;
    const int warp = threadIdx.x / 32;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
    const int row = warp / WARPS_ACROSS * WM, col = warp % WARPS_ACROSS * WN;  // in it

    float sums[WM / MMA_M][WN / MMA_N][4] = {};  // [i][j]: 16 rows from 16 i, 8 columns from 8 j
    for (int k0 = 0; k0 < a.cols; k0 += BK) {
      tiles.stage(a, b, row0, col0, k0);
#pragma unroll
      for (int k = 0; k < BK; k += MMA_K) {
        unsigned a_parts[WM / MMA_M][4], b_parts[WN / 16][2][2];
        for (int i = 0; i < WM / MMA_M; ++i) tiles.load_a(a_parts[i], row + i * MMA_M, k);
        for (int j = 0; j < WN / 16; ++j) tiles.load_b(b_parts[j], k, col + j * 16);
        for (int i = 0; i < WM / MMA_M; ++i) {
          for (int j = 0; j < WN / MMA_N; ++j) {
            multiply_add<T>(sums[i][j], a_parts[i], b_parts[j / 2][j % 2]);
          }
        }
      }
      __syncthreads();  // nobody fills a tile that another warp still reads
    }

    const bool pairs = takes_pairs(c);
    for (int i = 0; i < WM / MMA_M; ++i) {
      for (int j = 0; j < WN / MMA_N; ++j) {
        store_sum(c, row0 + row + i * MMA_M, col0 + col + j * MMA_N, pairs, sums[i][j]);
      }
    }
  }
}
//! [kernel]

/// Launches it, or throws: `name` is the launcher's.
template <class Tiles, class T>
void launch(const char* name, MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c,
            cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require_compute_capability(MMA_CAPABILITY, name, compute_capability());

  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  block_product_kernel<Tiles, T><<<grid, THREADS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch10::block_product
