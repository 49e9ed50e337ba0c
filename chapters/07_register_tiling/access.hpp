/// \file
/// How the kernels of this chapter touch memory: elements that may lie outside a matrix, and four
/// neighbours at once where the matrix allows it.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include "07_register_tiling/whole_tiles.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut::ch07 {

/// The part of a matrix from (row, col) on. Tiles are staged from it, by their own indices.
template <class T>
__device__ MatrixView<T> submatrix_from(const MatrixView<T>& m, int row, int col) {
  return m.block(row, col, m.rows - row, m.cols - col);
}

//! [advance_k]
/// Moves on to the next step of k: BK columns of A to the right, BK rows of B down.
template <int BK>
__device__ void advance_k(MatrixView<const float>& a_rest, MatrixView<const float>& b_rest) {
  a_rest.data += BK;
  a_rest.cols -= BK;
  b_rest.data += BK * b_rest.stride;
  b_rest.rows -= BK;
}
//! [advance_k]

/// Where element (row, col) is. Indices of 32 bits, if TILES_FIT_EXACTLY: a product of 64 bits is
/// several instructions.
template <bool TILES_FIT_EXACTLY, class T>
__device__ T* address(const MatrixView<T>& m, int row, int col) {
  if constexpr (TILES_FIT_EXACTLY) {
    return m.data + index32(row, m.stride, col);
  } else {
    return &m(row, col);
  }
}

//! [element]
/// Element (row, col), 0 outside the matrix.
__device__ inline float element(MatrixView<const float> m, int row, int col) {
  return row < m.rows && col < m.cols ? m(row, col) : 0.0f;
}
//! [element]

//! [load4]
/// Elements (row, col) to (row, col + 3), 0 outside the matrix; col is a multiple of 4. `vectors`:
/// is_float4_accessible(m). TILES_FIT_EXACTLY: they lie inside, and m takes vectors.
template <bool TILES_FIT_EXACTLY = false>
__device__ float4 load4(MatrixView<const float> m, int row, int col, bool vectors) {
  if (TILES_FIT_EXACTLY || (vectors && row < m.rows && col + 4 <= m.cols)) {
    return *reinterpret_cast<const float4*>(address<TILES_FIT_EXACTLY>(m, row, col));
  }
  float4 values;
  values.x = element(m, row, col);
  values.y = element(m, row, col + 1);
  values.z = element(m, row, col + 2);
  values.w = element(m, row, col + 3);
  return values;
}
//! [load4]

/// Writes four neighbours in a row, those that lie inside the matrix.
template <bool TILES_FIT_EXACTLY = false>
__device__ void store4(MatrixView<float> m, int row, int col, float4 values, bool vectors) {
  if (TILES_FIT_EXACTLY || (vectors && row < m.rows && col + 4 <= m.cols)) {
    *reinterpret_cast<float4*>(address<TILES_FIT_EXACTLY>(m, row, col)) = values;
    return;
  }
  if (row >= m.rows) return;
  if (col < m.cols) m(row, col) = values.x;
  if (col + 1 < m.cols) m(row, col + 1) = values.y;
  if (col + 2 < m.cols) m(row, col + 2) = values.z;
  if (col + 3 < m.cols) m(row, col + 3) = values.w;
}

//! [read4]
/// Four words of shared memory, at a multiple of 16 bytes, into registers at[0] to at[3].
__device__ inline void read4(const float* from, float* at) {
  const float4 values = *reinterpret_cast<const float4*>(from);
  at[0] = values.x;
  at[1] = values.y;
  at[2] = values.z;
  at[3] = values.w;
}
//! [read4]

/// The same four as a value, to be stored at once.
__device__ inline float4 as_float4(const float* at) {
  float4 values;
  values.x = at[0];
  values.y = at[1];
  values.z = at[2];
  values.w = at[3];
  return values;
}

//! [copy1]
/// Starts to copy element (row, col) to shared memory; outside the matrix it writes 0.
template <bool TILES_FIT_EXACTLY = false>
__device__ void copy1(float* to, MatrixView<const float> m, int row, int col) {
  if (TILES_FIT_EXACTLY || (row < m.rows && col < m.cols)) {
    __pipeline_memcpy_async(to, address<TILES_FIT_EXACTLY>(m, row, col), 4);
  } else {
    *to = 0.0f;
  }
}
//! [copy1]

/// Starts to copy elements (row, col) to (row, col + 3); col is a multiple of 4.
template <bool TILES_FIT_EXACTLY = false>
__device__ void copy4(float* to, MatrixView<const float> m, int row, int col, bool vectors) {
  if (TILES_FIT_EXACTLY || (vectors && row < m.rows && col + 4 <= m.cols)) {
    __pipeline_memcpy_async(to, address<TILES_FIT_EXACTLY>(m, row, col), 16);
  } else {
    for (int i = 0; i < 4; ++i) copy1<false>(to + i, m, row, col + i);
  }
}

}  // namespace tut::ch07
