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
#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch07 {

/// Where in memory a thread's next copies begin. A pointer that moves on costs two instructions for
/// each copy; an index, a product and a sum of 64 bits, costs several, and each takes the place of
/// a multiply-add.
template <class T>
struct Cursor {
  static constexpr int A_ROWS = T::THREADS / 8, B_ROWS = T::THREADS / (T::BN / 4);  // at a time

  __device__ Cursor(MatrixView<const float> a, MatrixView<const float> b, int row0, int col0)
      : a_from(&a(row0 + a_row(), a_k())),
        b_from(&b(b_k(), col0 + b_col())),
        a_down(A_ROWS * a.stride),
        a_next(T::BK - T::BM * a.stride),
        b_down(B_ROWS * b.stride) {}

  // Its place in what the block copies at a time: A_ROWS x 8 of A, B_ROWS x BN of B.
  __device__ static int a_row() { return static_cast<int>(threadIdx.x) / 8; }
  __device__ static int a_k() { return static_cast<int>(threadIdx.x) % 8; }
  __device__ static int b_k() { return static_cast<int>(threadIdx.x) / (T::BN / 4); }
  __device__ static int b_col() { return static_cast<int>(threadIdx.x) % (T::BN / 4) * 4; }

  const float *a_from, *b_from;
  std::int64_t a_down, a_next, b_down;  // in elements
};

/// Copy number `part` of those that a thread makes for the tiles at row0, col0 and k0.
template <class T, bool WHOLE>
__device__ void copy_part(int part, MatrixView<const float> a, MatrixView<const float> b, int row0,
                          int col0, int k0, bool b_vectors, Cursor<T>& cursor,
                          typename T::Stage& stage) {
  if (part < T::A_COPIES) {
    const int k = part % (T::BK / 8) * 8, row = part / (T::BK / 8) * Cursor<T>::A_ROWS;
    float* to = &stage.a[k + cursor.a_k()][row + cursor.a_row()];
    if constexpr (WHOLE) {
      __pipeline_memcpy_async(to, cursor.a_from + k, 4);
      if (k + 8 == T::BK) cursor.a_from += cursor.a_down;
      if (part == T::A_COPIES - 1) cursor.a_from += cursor.a_next;
    } else {
      copy1(to, a, row0 + row + cursor.a_row(), k0 + k + cursor.a_k());
    }
  } else {
    const int k = (part - T::A_COPIES) * Cursor<T>::B_ROWS + cursor.b_k(), col = cursor.b_col();
    float* to = &stage.b[k][col];
    if constexpr (WHOLE) {
      __pipeline_memcpy_async(to, cursor.b_from, 16);
      cursor.b_from += cursor.b_down;
    } else {
      copy4(to, b, k0 + k, col0 + col, b_vectors);
    }
  }
}

/// What a thread multiplies for one k, from shared memory.
template <class T>
__device__ void read_parts(const typename T::Stage& stage, int k, int row, int col,
                           float (&a_part)[T::TM], float (&b_part)[T::TN]) {
  read_fours<T::LANES_M>(&stage.a[k][row], a_part);
  read_fours<T::LANES_N>(&stage.b[k][col], b_part);
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
  Cursor<T> cursor(a, b, row0, col0);

#pragma unroll 1
  for (int step = 0; step < STAGES - 1; ++step) {
#pragma unroll
    for (int part = 0; part < COPIES; ++part) {
      if (step >= steps) continue;
      copy_part<T, WHOLE>(part, a, b, row0, col0, step * BK, b_vectors, cursor, stages[step]);
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
        copy_part<T, WHOLE>(part, a, b, row0, col0, (step + STAGES - 1) * BK, b_vectors, cursor,
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

  store_sums<T::LANES_M, T::LANES_N, WHOLE>(c, row0 + row, col0 + col, sums);
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
