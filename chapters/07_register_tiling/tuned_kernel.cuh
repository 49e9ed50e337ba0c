/// \file
/// The last kernel of chapter 07, for tiles of many shapes: the tuner tries them.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "07_register_tiling/access.hpp"
#include "07_register_tiling/layout.hpp"
#include "07_register_tiling/thread_tile.hpp"
#include "07_register_tiling/tiling.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch07 {

/// Copy number `part` of those that a thread makes for the tiles at the beginning of a and b. For A
/// a warp takes 8 neighbours from each of 4 rows: whole sectors, and 32 different banks.
template <class T, bool TILES_FIT_EXACTLY>
__device__ void copy_part(int part, MatrixView<const float> a, MatrixView<const float> b,
                          bool b_vectors, typename T::Stage& stage) {
  const int thread = threadIdx.x;
  if (part < T::A_COPIES) {
    const int row = part / (T::BK / 8) * (T::THREADS / 8) + thread / 8;
    const int k = part % (T::BK / 8) * 8 + thread % 8;
    copy1<TILES_FIT_EXACTLY>(&stage.a[k][row], a, row, k);
  } else {
    const int k = (part - T::A_COPIES) * (T::THREADS / (T::BN / 4)) + thread / (T::BN / 4);
    const int col = thread % (T::BN / 4) * 4;
    copy4<TILES_FIT_EXACTLY>(&stage.b[k][col], b, k, col, b_vectors);
  }
}

/// What a thread multiplies for one k, from shared memory.
template <class T>
__device__ void read_parts(const typename T::Stage& stage, int k, int row, int col,
                           float (&a_part)[T::TM], float (&b_part)[T::TN]) {
  read_fours<T::LANES_M>(&stage.a[k][row], a_part);
  read_fours<T::LANES_N>(&stage.b[k][col], b_part);
}

template <class T, bool TILES_FIT_EXACTLY>
__global__ void __launch_bounds__(T::THREADS, T::BLOCKS)
    matmul_tuned_kernel(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                        int tiles_m, int tiles_n) {
  constexpr int COPIES = T::A_COPIES + T::B_COPIES, BK = T::BK, STAGES = T::STAGES, GROUP = 16;
  constexpr int COPIES_PER_K = (COPIES + 1) / 2;  // half of them at the first k, half at the second
  extern __shared__ float4 tuned_memory[];
  auto* stages = reinterpret_cast<typename T::Stage*>(tuned_memory);

  const Place tile = tile_place(blockIdx.x, tiles_m, tiles_n, GROUP);
  const int row0 = tile.row * T::BM, col0 = tile.col * T::BN;
  const int warp = threadIdx.x / 32;
  const Place lane = lane_place<T::LANES_N>(threadIdx.x % 32);
  const int row = warp / T::WARPS_N * T::WM + lane.row * 4;  // the thread's first of the tile
  const int col = warp % T::WARPS_N * T::WN + lane.col * 4;
  const bool b_vectors = is_float4_accessible(b);
  const int steps = (a.cols + BK - 1) / BK;

  auto a_rest = submatrix_from(a, row0, 0),
       b_rest = submatrix_from(b, 0, col0);  // what is still to be copied
#pragma unroll 1
  for (int step = 0; step < STAGES - 1; ++step) {
#pragma unroll
    for (int part = 0; part < COPIES; ++part) {
      if (step < steps)
        copy_part<T, TILES_FIT_EXACTLY>(part, a_rest, b_rest, b_vectors, stages[step]);
    }
    advance_k<BK>(a_rest, b_rest);
    __pipeline_commit();
  }
  __pipeline_wait_prior(STAGES - 2);
  __syncthreads();

  float sums[T::TM][T::TN] = {};
  float a_parts[2][T::TM], b_parts[2][T::TN];
  read_parts<T>(stages[0], 0, row, col, a_parts[0], b_parts[0]);
  int now = 0, last = STAGES - 1;  // the stages that this step reads and fills
  for (int step = 0; step < steps; ++step) {
    const int next = now + 1 == STAGES ? 0 : now + 1;
    const bool copies = step + STAGES - 1 < steps;
    //! [pipeline]
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      // Start a few copies for a later step.
#pragma unroll
      for (int i = 0; i < COPIES_PER_K; ++i) {
        const int part = k * COPIES_PER_K + i;
        if (part < COPIES && copies) {
          copy_part<T, TILES_FIT_EXACTLY>(part, a_rest, b_rest, b_vectors, stages[last]);
        }
      }
      // Read what the next k needs, before it is needed.
      if (k == BK - 1) {
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
      }
      const bool within = k < BK - 1 || step + 1 == steps;  // at the very end it is read in vain
      read_parts<T>(stages[within ? now : next], (k + 1) % BK, row, col, a_parts[(k + 1) % 2],
                    b_parts[(k + 1) % 2]);
      // Do the arithmetic of this k.
      add_outer_product(a_parts[k % 2], b_parts[k % 2], sums);
    }
    //! [pipeline]
    advance_k<BK>(a_rest, b_rest);
    last = now;
    now = next;
  }

  store_sums<T::LANES_M, T::LANES_N, TILES_FIT_EXACTLY>(submatrix_from(c, row0, col0), row, col,
                                                        sums);
}

/// Launches one of the two kernels of a tiling. TILES_FIT_EXACTLY: the caller knows that
/// tiles_fit_exactly().
template <class T, bool TILES_FIT_EXACTLY>
void launch_tuned(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                  cudaStream_t stream) {
  //! [launch]
  const auto kernel = matmul_tuned_kernel<T, TILES_FIT_EXACTLY>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, T::SHARED_BYTES));
  const int tiles_m = ceil_div(c.rows, T::BM), tiles_n = ceil_div(c.cols, T::BN);
  const auto tiles = static_cast<unsigned>(tiles_m) * static_cast<unsigned>(tiles_n);
  kernel<<<tiles, T::THREADS, T::SHARED_BYTES, stream>>>(a, b, c, tiles_m, tiles_n);
  //! [launch]
  check_launch();
}

}  // namespace tut::ch07
