/// \file
/// How a block copies tiles of 16-bit elements to shared memory, 16 bytes for each thread.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "09_wmma/tile_layout.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut::ch09 {

/// Whether rows of this matrix can be read 16 bytes at a time.
template <class T>
__host__ __device__ bool is_float4_accessible(const MatrixView<T>& m) {
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 &&
         m.stride * static_cast<std::int64_t>(sizeof(T)) % 16 == 0;
}

/// Copies 16 bytes from global to shared memory; with ASYNC they are on their way when this
/// returns.
template <bool ASYNC>
__device__ void copy_chunk(void* to, const void* from) {
  if constexpr (ASYNC) {
    __pipeline_memcpy_async(to, from, 16);
  } else {
    *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
  }
}

/// Copies the tile of `m` at (row0, col0) into `tile`, whose last PAD columns are padding, 0
/// outside the matrix; by THREADS threads. `vectors`: is_float4_accessible(m). With ASYNC a group
/// of copies is to be committed and waited for. The barriers are the caller's.
template <int THREADS, int COLS, bool ASYNC = false, int ROWS, int STRIDE, class T>
__device__ void stage_tile(MatrixView<const T> m, int row0, int col0, bool vectors,
                           T (&tile)[ROWS][STRIDE]) {
  constexpr unsigned CHUNKS = ROWS * COLS / CHUNK, STEPS = CHUNKS < THREADS ? 1 : CHUNKS / THREADS;
  static_assert(COLS % CHUNK == 0 && ROWS % 8 == 0 && COLS <= STRIDE,
                "a tile is made of whole groups of chunks");
  static_assert(CHUNKS % THREADS == 0 || CHUNKS < THREADS, "equally many chunks for each thread");
  //! [inside]
  if (vectors && row0 + ROWS <= m.rows && col0 + COLS <= m.cols) {
#pragma unroll
    for (unsigned step = 0; step < STEPS; ++step) {
      const unsigned i = step * THREADS + threadIdx.x;
      if (CHUNKS < THREADS && i >= CHUNKS) break;
      const ChunkPlace at = chunk_place<COLS>(i);
      copy_chunk<ASYNC>(&tile[at.row][at.col], &m(row0 + at.row, col0 + at.col));
    }
    return;
  }
  //! [inside]
#pragma unroll 1
  for (unsigned i = threadIdx.x; i < CHUNKS; i += THREADS) {
    const ChunkPlace at = chunk_place<COLS>(i);
    const int row = row0 + at.row, col = col0 + at.col;
    if (vectors && row < m.rows && col + CHUNK <= m.cols) {
      copy_chunk<ASYNC>(&tile[at.row][at.col], &m(row, col));
      continue;
    }
#pragma unroll 1
    for (int j = 0; j < CHUNK; ++j) {
      tile[at.row][at.col + j] = row < m.rows && col + j < m.cols ? m(row, col + j) : T(0.0f);
    }
  }
}

}  // namespace tut::ch09
