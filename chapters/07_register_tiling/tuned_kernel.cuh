/// \file
/// The last kernel of chapter 07, for tiles of many shapes: the tuner tries them.
#pragma once

#include <cuda_runtime.h>

#include "07_register_tiling/access.hpp"
#include "07_register_tiling/layout.hpp"
#include "07_register_tiling/outer_product.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch07 {

//! [tiling]
/// The shape of everything: a block's tile of C is BM x BN, a thread's TM x TN, and STAGES tiles of
/// BK steps of k are in shared memory or on their way.
template <int BM_, int BN_, int BK_, int TM_, int TN_, int STAGES_>
struct Tiling {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_, STAGES = STAGES_;
  static constexpr int LANES_N = TN > TM ? 4 : 8, LANES_M = 32 / LANES_N;
  static constexpr int WM = TM * LANES_M, WN = TN * LANES_N;  // the warp's tile
  static constexpr int WARPS_N = BN / WN, THREADS = BM / WM * WARPS_N * 32;
  static constexpr int A_COPIES = BM * BK / THREADS, B_COPIES = BK * BN / 4 / THREADS;
  // The 65536 registers of a multiprocessor, at 128 a thread or, for more than 64 sums, at 255.
  static constexpr int BLOCKS = (TM * TN > 64 ? 256 : 512) / THREADS;
  //! [tiling]

  /// The tiles of one step; the rows of A's are padded, against bank conflicts.
  struct Stage {
    alignas(16) float a[BK][BM + 4];  // (k, row)
    alignas(16) float b[BK][BN];      // (k, col)
  };
  static constexpr int SHARED_BYTES = STAGES * static_cast<int>(sizeof(Stage));

  static_assert(BM % WM == 0 && BN % WN == 0, "a block's tile consists of whole warps' tiles");
  static_assert(BK % 8 == 0 && TM % 4 == 0 && TN % 4 == 0, "everything comes in fours");
  static_assert(BM * BK % THREADS == 0 && BK * BN / 4 % THREADS == 0, "equally many copies");
  static_assert(STAGES >= 2 && BLOCKS >= 1, "one stage to read, another to fill");
};

/// Copy number `part` of those that a thread makes for the tiles at row0, col0 and k0.
template <class T, bool WHOLE>
__device__ void copy_part(int part, MatrixView<const float> a, MatrixView<const float> b, int row0,
                          int col0, int k0, bool b_vectors, typename T::Stage& stage) {
  const int thread = threadIdx.x;
  if (part < T::A_COPIES) {
    const int i = part * T::THREADS + thread;
    const int k = i / (8 * T::BM) * 8 + i % 8, row = i / 8 % T::BM;
    copy1<WHOLE>(&stage.a[k][row], a, row0 + row, k0 + k);
  } else {
    const int i = (part - T::A_COPIES) * T::THREADS + thread;
    const int k = i / (T::BN / 4), col = i % (T::BN / 4) * 4;
    copy4<WHOLE>(&stage.b[k][col], b, k0 + k, col0 + col, b_vectors);
  }
}

/// What a thread multiplies for one k, from shared memory.
template <class T>
__device__ void read_parts(const typename T::Stage& stage, int k, int row, int col,
                           float (&a_part)[T::TM], float (&b_part)[T::TN]) {
#pragma unroll
  for (int i = 0; i < T::TM; i += 4) read4(&stage.a[k][row + i * T::LANES_M], &a_part[i]);
#pragma unroll
  for (int j = 0; j < T::TN; j += 4) read4(&stage.b[k][col + j * T::LANES_N], &b_part[j]);
}

template <class T, bool WHOLE>
__global__ void __launch_bounds__(T::THREADS, T::BLOCKS)
    matmul_tuned_kernel(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                        int tiles_m, int tiles_n) {
  constexpr int COPIES = T::A_COPIES + T::B_COPIES, BK = T::BK, STAGES = T::STAGES, GROUP = 16;
  constexpr int COPIES_PER_K = (COPIES + BK - 2) / (BK - 1);  // all before the last k of a step
  extern __shared__ float4 tuned_memory[];
  auto* stages = reinterpret_cast<typename T::Stage*>(tuned_memory);

  const Place tile = tile_place(blockIdx.x, tiles_m, tiles_n, GROUP);
  const int row0 = tile.row * T::BM, col0 = tile.col * T::BN;
  const int warp = threadIdx.x / 32;
  const Place lane = lane_place<T::LANES_N>(threadIdx.x % 32);
  const int row = warp / T::WARPS_N * T::WM + lane.row * 4;  // the thread's first of the tile
  const int col = warp % T::WARPS_N * T::WN + lane.col * 4;
  const bool b_vectors = takes_vectors(b);
  const int steps = (a.cols + BK - 1) / BK;

  for (int step = 0; step < STAGES - 1; ++step) {
    for (int part = 0; part < COPIES && step < steps; ++part) {
      copy_part<T, WHOLE>(part, a, b, row0, col0, step * BK, b_vectors, stages[step]);
    }
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
      // A few copies for a later step ...
#pragma unroll
      for (int part = k * COPIES_PER_K; part < (k + 1) * COPIES_PER_K && part < COPIES; ++part) {
        if (!copies) continue;
        copy_part<T, WHOLE>(part, a, b, row0, col0, (step + STAGES - 1) * BK, b_vectors,
                            stages[last]);
      }
      // ... what the next k needs, before it is needed ...
      if (k == BK - 1) {
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads();
      }
      const bool within = k < BK - 1 || step + 1 == steps;  // at the very end it is read in vain
      read_parts<T>(stages[within ? now : next], (k + 1) % BK, row, col, a_parts[(k + 1) % 2],
                    b_parts[(k + 1) % 2]);
      // ... and the arithmetic of this one.
      add_outer_product(a_parts[k % 2], b_parts[k % 2], sums);
    }
    //! [pipeline]
    last = now;
    now = next;
  }

  const bool c_vectors = takes_vectors(c);
#pragma unroll
  for (int i = 0; i < T::TM; ++i) {
#pragma unroll
    for (int j = 0; j < T::TN; j += 4) {
      store4<WHOLE>(c, row0 + row + i / 4 * 4 * T::LANES_M + i % 4, col0 + col + j * T::LANES_N,
                    as_float4(&sums[i][j]), c_vectors);
    }
  }
}

/// Launches one of the two kernels of a tiling. WHOLE: the caller knows that is_whole().
template <class T, bool WHOLE>
void launch_tuned(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                  cudaStream_t stream) {
  const auto kernel = matmul_tuned_kernel<T, WHOLE>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, T::SHARED_BYTES));
  const int tiles_m = ceil_div(c.rows, T::BM), tiles_n = ceil_div(c.cols, T::BN);
  const auto tiles = static_cast<unsigned>(tiles_m) * static_cast<unsigned>(tiles_n);
  kernel<<<tiles, T::THREADS, T::SHARED_BYTES, stream>>>(a, b, c, tiles_m, tiles_n);
  check_launch();
}

}  // namespace tut::ch07
