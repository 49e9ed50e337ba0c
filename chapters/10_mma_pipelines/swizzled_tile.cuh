/// \file
/// Swizzled tiles: how a block copies them to shared memory by cp.async, and how a warp loads
/// fragments from them.
#pragma once

#include <cuda_runtime.h>

#include "09_wmma/tile_layout.hpp"
#include "10_mma_pipelines/mma.cuh"
#include "10_mma_pipelines/swizzle.hpp"
#include "tut/ptx/cp_async.cuh"
#include "tut/ptx/ldmatrix.cuh"

namespace tut::ch10 {

//! [copy_chunk]
/// Starts to copy the chunk of `m` at (row, col) to `to`, 0 outside the matrix. `vectors`: whether
/// rows of m can be read 16 bytes at a time (ch09::is_float4_accessible); else the elements are
/// copied one by one, at once.
template <class T>
__device__ void copy_chunk(MatrixView<const T> m, int row, int col, bool vectors, T* to) {
  if (vectors) {
    const int inside = row < m.rows ? min(max(m.cols - col, 0), CHUNK) : 0;
    const T* from = inside > 0 ? &m(row, col) : m.data;
    ptx::cp_async_cg_zero_fill(to, from, static_cast<unsigned>(inside * sizeof(T)));
    return;
  }
#pragma unroll 1
  for (int j = 0; j < CHUNK; ++j) {
    to[j] = row < m.rows && col + j < m.cols ? m(row, col + j) : T(0.0f);
  }
}
//! [copy_chunk]

//! [copy_tile]
/// Starts to copy the tile of `m` at (row0, col0), ROWS x COLS, by THREADS threads; or of PARTS
/// equal parts one, so that a step can start its copies little by little. Each thread closes the
/// group, and waits for it. WHOLE: the tile lies inside, and rows can be read 16 bytes at a time.
template <int THREADS, int ROWS, int COLS, int PARTS = 1, bool WHOLE = false, class T>
__device__ __forceinline__ void copy_tile(MatrixView<const T> m, int row0, int col0, bool vectors,
                                          T (&tile)[ROWS * COLS], int part = 0) {
  constexpr int PER_ROW = COLS / CHUNK;
  constexpr int APART = THREADS / PER_ROW;  // rows between two chunks of a thread
  constexpr int COPIES = ROWS / PARTS / APART;
  static_assert(COPIES * APART * PARTS == ROWS, "equally many chunks for each thread");
  static_assert(APART % 8 == 0, "and all of them swizzled alike");
  const int row = part * (ROWS / PARTS) + static_cast<int>(threadIdx.x) / PER_ROW;
  const int col = static_cast<int>(threadIdx.x) % PER_ROW * CHUNK;
  T* to = &tile[swizzled<COLS>(row, col)];
  const bool inside = row0 + ROWS <= m.rows && col0 + COLS <= m.cols;
  if (WHOLE || (vectors && inside)) {
    const T* from = &m(row0 + row, col0 + col);
#pragma unroll
    for (int i = 0; i < COPIES; ++i) {
      ptx::cp_async_cg(to + i * APART * COLS, from);
      from += APART * m.stride;
    }
  } else if constexpr (!WHOLE) {
#pragma unroll 1
    for (int i = 0; i < COPIES; ++i) {
      copy_chunk(m, row0 + row + i * APART, col0 + col, vectors, to + i * APART * COLS);
    }
  }
}
//! [copy_tile]

//! [load]
/// Loads the fragment of A of 16 rows and 16 k's from a swizzled tile of COLS k's.
template <int COLS, class T>
__device__ __forceinline__ void load_a(unsigned (&part)[4], const T* tile, int row, int k) {
  const int lane = lane_of_thread();
  ptx::ldmatrix_x4(part, &tile[swizzled<COLS>(row + lane % 16, k + lane / 16 * 8)]);
}

/// Loads the fragments of B of 16 k's and two times 8 columns from a swizzled tile of COLS columns.
template <int COLS, class T>
__device__ __forceinline__ void load_b(unsigned (&parts)[2][2], const T* tile, int k, int col) {
  const int lane = lane_of_thread();
  unsigned four[4];
  ptx::ldmatrix_x4_trans(four, &tile[swizzled<COLS>(k + lane % 16, col + lane / 16 * 8)]);
  parts[0][0] = four[0], parts[0][1] = four[1];
  parts[1][0] = four[2], parts[1][1] = four[3];
}
//! [load]

}  // namespace tut::ch10
