/// \file
/// What the kernels of chapter 09 share: tiles of 16 x 16 between memory and fragments, where the
/// matrix allows it directly, else through shared memory.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>
#include <type_traits>

#include "09_wmma/tile_layout.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut::ch09 {

//! [fragments]
namespace wmma = nvcuda::wmma;

template <class T>
using FragmentA = wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, T, wmma::row_major>;
template <class T>
using FragmentB = wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, T, wmma::row_major>;
using Accumulator = wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float>;
//! [fragments]

/// Whether this pass of the compiler has fragments of T: below compute capability 8.0 there are
/// none of bfloat16. A kernel's body stands under `if constexpr (fragments_exist<T>)`.
template <class T>
inline constexpr bool fragments_exist =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    std::is_same_v<T, __half>;
#else
    true;
#endif

/// Whether tiles of this matrix can be loaded and stored where they lie: wmma wants the first
/// element at a multiple of 32 bytes, and rows a multiple of 16 bytes apart.
template <class T>
__host__ __device__ bool takes_fragments(const MatrixView<T>& m) {
  return reinterpret_cast<std::uintptr_t>(m.data) % 32 == 0 &&
         m.stride * static_cast<std::int64_t>(sizeof(T)) % 16 == 0;
}

/// Whether the 16 x 16 tile at (row, col) lies inside the matrix.
template <class T>
__host__ __device__ bool holds_tile(const MatrixView<T>& m, int row, int col) {
  return row + TILE <= m.rows && col + TILE <= m.cols;
}

//! [copy_to_stage]
/// Copies the 16 x 16 tile of `m` at (row, col) to `stage`, 0 outside the matrix; by one warp.
template <class T>
__device__ void copy_to_stage(MatrixView<const T> m, int row, int col,
                              T (&stage)[TILE][STAGE_STRIDE]) {
  __syncwarp();  // no lane overwrites a stage that another still reads
#pragma unroll 1
  for (int i = threadIdx.x % 32; i < TILE * TILE; i += 32) {
    const int r = i / TILE, c = i % TILE;
    stage[r][c] = row + r < m.rows && col + c < m.cols ? m(row + r, col + c) : T(0.0f);
  }
  __syncwarp();  // no lane reads it before all have written
}
//! [copy_to_stage]

//! [load_tile]
/// Loads the 16 x 16 tile of `m` at (row, col), 0 outside the matrix; by all lanes of a warp.
/// `direct`: takes_fragments(m). `stage` is the warp's own, in shared memory.
template <class Fragment, class T>
__device__ void load_tile(Fragment& part, MatrixView<const T> m, int row, int col, bool direct,
                          T (&stage)[TILE][STAGE_STRIDE]) {
  if (direct && holds_tile(m, row, col)) {
    wmma::load_matrix_sync(part, &m(row, col), static_cast<unsigned>(m.stride));
    return;
  }
  copy_to_stage(m, row, col, stage);
  wmma::load_matrix_sync(part, &stage[0][0], STAGE_STRIDE);
}
//! [load_tile]

/// Loads the 16 x 16 tile of `c` at (row, col) as a sum; as load_tile.
inline __device__ void load_sum(Accumulator& sum, MatrixView<float> c, int row, int col,
                                bool direct, float (&stage)[TILE][STAGE_STRIDE]) {
  if (direct && holds_tile(c, row, col)) {
    wmma::load_matrix_sync(sum, &c(row, col), static_cast<unsigned>(c.stride), wmma::mem_row_major);
    return;
  }
  copy_to_stage(MatrixView<const float>(c), row, col, stage);
  wmma::load_matrix_sync(sum, &stage[0][0], STAGE_STRIDE, wmma::mem_row_major);
}

/// Stores a sum as the 16 x 16 tile of `c` at (row, col), what lies inside of it; as load_tile.
inline __device__ void store_tile(MatrixView<float> c, int row, int col, const Accumulator& sum,
                                  bool direct, float (&stage)[TILE][STAGE_STRIDE]) {
  if (direct && holds_tile(c, row, col)) {
    wmma::store_matrix_sync(&c(row, col), sum, static_cast<unsigned>(c.stride),
                            wmma::mem_row_major);
    return;
  }
  __syncwarp();
  wmma::store_matrix_sync(&stage[0][0], sum, STAGE_STRIDE, wmma::mem_row_major);
  __syncwarp();
#pragma unroll 1
  for (int i = threadIdx.x % 32; i < TILE * TILE; i += 32) {
    const int r = i / TILE, k = i % TILE;
    if (row + r < c.rows && col + k < c.cols) c(row + r, col + k) = stage[r][k];
  }
}

}  // namespace tut::ch09
