/// \file
/// The tile of C in a thread's registers. All loops unroll: an array lives in registers only if
/// every index is known when the kernel is compiled.
#pragma once

#include "07_register_tiling/access.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut::ch07 {

//! [outer_product]
/// Multiplies each of TM elements of a column of A with each of TN elements of a row of B, and adds
/// the products to the thread's tile of C.
template <int TM, int TN>
__device__ void add_outer_product(const float (&a_part)[TM], const float (&b_part)[TN],
                                  float (&sums)[TM][TN]) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) sums[i][j] += a_part[i] * b_part[j];
  }
}
//! [outer_product]

//! [read_fours]
/// N words of shared memory, 16 bytes for each read: groups of four, of which APART threads have
/// one each before this thread has its next.
template <int APART, int N>
__device__ void read_fours(const float* from, float (&part)[N]) {
  static_assert(N % 4 == 0, "whole groups");
#pragma unroll
  for (int i = 0; i < N; i += 4) read4(from + i * APART, &part[i]);
}
//! [read_fours]

/// Writes the thread's tile, whose first element belongs at (row, col) of c; rows and columns lie
/// in groups of four as read_fours has them.
template <int APART_M, int APART_N, bool TILES_FIT_EXACTLY, int TM, int TN>
__device__ void store_sums(MatrixView<float> c, int row, int col, const float (&sums)[TM][TN]) {
  const bool vectors = is_float4_accessible(c);
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      store4<TILES_FIT_EXACTLY>(c, row + i / 4 * 4 * APART_M + i % 4, col + j * APART_N,
                                as_float4(&sums[i][j]), vectors);
    }
  }
}

}  // namespace tut::ch07
