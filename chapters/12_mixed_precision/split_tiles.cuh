/// \file
/// How matmul_3xtf32 stages its tiles: from global memory by way of registers, split into pairs of
/// TF32 numbers, to shared memory; and how the lanes of a warp load fragments from there.
#pragma once

#include <cuda_runtime.h>

#include "12_mixed_precision/four_elements.cuh"
#include "12_mixed_precision/split_fragments.hpp"
#include "tut/matrix/matrix_view.hpp"

namespace tut::ch12::split_tiles {

// A block's tile of C, and how much of k is staged at a time.
inline constexpr int BM = 128, BN = 128, BK = 16;
inline constexpr int THREADS = 256;
inline constexpr int FOURS = BM * BK / 4 / THREADS;  // of each matrix that a thread stages
static_assert(BM == BN && FOURS * THREADS * 4 == BM * BK, "threads share both tiles evenly");

/// A tile of A, (row, k), and one of B, (k, col), whose columns are swizzled. Neither is padded.
using TileA = float[BM][BK];
using TileB = float[BK][BN];

/// Tiles of A and B as pairs of TF32 numbers.
struct Stage {
  alignas(16) TileA a_hi, a_lo;
  alignas(16) TileB b_hi, b_lo;
};

/// What one thread stages of a tile of A and one of B.
struct Fetched {
  float4 a[FOURS], b[FOURS];
};

template <bool WIDE>
__device__ void fetch(MatrixView<const float> a, MatrixView<const float> b, int k0, Fetched& to) {
  for (int i = 0; i < FOURS; ++i) {
    const int four = i * THREADS + static_cast<int>(threadIdx.x);
    to.a[i] = load_four<WIDE>(a, blockIdx.y * BM + four / (BK / 4), k0 + four % (BK / 4) * 4);
    to.b[i] = load_four<WIDE>(b, k0 + four / (BN / 4), blockIdx.x * BN + four % (BN / 4) * 4);
  }
}

//! [split]
/// x without the bits that TF32 has not got: the last 13 of a float.
__device__ inline float cut_to_tf32(float x) {
  return __uint_as_float(__float_as_uint(x) & 0xFFFFE000u);
}

/// x = hi + lo but for 2^-23 of x: hi is x rounded to TF32's 11 significant bits, and lo takes 11
/// of the 12 that are left. The subtraction is exact.
__device__ inline void split(float x, float& hi, float& lo) {
  hi = cut_to_tf32(__uint_as_float(__float_as_uint(x) + 0x1000u));  // + half of hi's last place
  lo = cut_to_tf32(x - hi);
}
//! [split]

__device__ inline void split_four(float4 x, float* hi, float* lo) {
  float4 h, l;
  split(x.x, h.x, l.x);
  split(x.y, h.y, l.y);
  split(x.z, h.z, l.z);
  split(x.w, h.w, l.w);
  *reinterpret_cast<float4*>(hi) = h;
  *reinterpret_cast<float4*>(lo) = l;
}

__device__ inline void stage(const Fetched& from, Stage& to) {
  for (int i = 0; i < FOURS; ++i) {
    const int four = i * THREADS + static_cast<int>(threadIdx.x);
    const int a_row = four / (BK / 4), a_k = four % (BK / 4) * 4;
    const int b_k = four / (BN / 4), b_col = swizzled_column(b_k, four % (BN / 4) * 4);
    split_four(from.a[i], &to.a_hi[a_row][a_k], &to.a_lo[a_row][a_k]);
    split_four(from.b[i], &to.b_hi[b_k][b_col], &to.b_lo[b_k][b_col]);
  }
}

/// What a lane holds of 8 rows of A over a stage's k's: the second factor of both products.
using RowParts = unsigned[PRODUCTS][2];

/// Of 16 columns of B: the first factor, since the products are those of the transposed matrices.
using ColumnParts = unsigned[PRODUCTS][4];

//! [load]
/// From the tile of A, 8 rows from `row`: one load brings the lane's four.
__device__ __forceinline__ void load_rows(const TileA& tile, int row, RowParts& parts) {
  const int g = static_cast<int>(threadIdx.x) % 32 / 4, t = static_cast<int>(threadIdx.x) % 4;
  const uint4 four = *reinterpret_cast<const uint4*>(&tile[row + g][k_of(0, t)]);
  parts[0][0] = four.x, parts[0][1] = four.y;
  parts[1][0] = four.z, parts[1][1] = four.w;
}

/// From the tile of B, 16 columns from `col`: a load brings columns g and g + 8 of the fragment.
__device__ __forceinline__ void load_columns(const TileB& tile, int col, ColumnParts& parts) {
  const int g = static_cast<int>(threadIdx.x) % 32 / 4, t = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
  for (int p = 0; p < PRODUCTS; ++p) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int k = k_of(p, t + 4 * i);
      const float* from = &tile[k][swizzled_column(k, col + column_of(g))];
      const uint2 two = *reinterpret_cast<const uint2*>(from);
      parts[p][2 * i] = two.x, parts[p][2 * i + 1] = two.y;
    }
  }
}
//! [load]

}  // namespace tut::ch12::split_tiles
