#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "07_register_tiling/thread_tile.hpp"
#include "tut/errors/check.hpp"
#include "tut/matrix/matrix_view.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch14 {

/// Layers with this many outputs or fewer, as classifiers have them, use kernels of their own.
inline constexpr int FEW_OUTPUTS = 16;

/// A product's tiles: a block of X x Y threads computes BM x BN elements, BK of the depth at a
/// time, a thread TM x TN of them, in registers.
struct DenseTiles {
  static constexpr int X = 16, Y = 16, TM = 4, TN = 4, THREADS = X * Y;
  static constexpr int BM = Y * TM, BN = X * TN, BK = 32;
  static constexpr int PAD = 4;  // words: 8 steps of k of 4 neighbours lie in all 32 banks
};

/// Stages a tile of a factor as (k, place): what its rows, or columns, from `first` on have from k0
/// on; 0 outside. ALONG_K: neighbours in memory are neighbours in k, else in place.
template <bool ALONG_K, int PLACES>
__device__ void stage_dense_tile(const float* factor, int first, int places, int depth, int k0,
                                 int k_end, int thread,
                                 float (&tile)[DenseTiles::BK][PLACES + DenseTiles::PAD]) {
  using T = DenseTiles;
  // Along k eight lanes read a sector of one row, and four rows are a warp's.
  constexpr int K_LANES = ALONG_K ? 8 : T::THREADS / PLACES, P_LANES = T::THREADS / K_LANES;
  constexpr int P_STEPS = PLACES / P_LANES, STEPS = T::BK / K_LANES * P_STEPS;
  const int k_first = ALONG_K ? thread % K_LANES : thread / P_LANES;
  const int p_first = ALONG_K ? thread / K_LANES : thread % P_LANES;
  float loaded[STEPS];
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
    const int k = k0 + k_first + s / P_STEPS * K_LANES;
    const int p = first + p_first + s % P_STEPS * P_LANES;
    const std::int64_t from = ALONG_K ? std::int64_t{p} * depth + k : std::int64_t{k} * places + p;
    loaded[s] = p < places && k < k_end ? factor[from] : 0.0f;
  }
#pragma unroll
  for (int s = 0; s < STEPS; ++s) {
    tile[k_first + s / P_STEPS * K_LANES][p_first + s % P_STEPS * P_LANES] = loaded[s];
  }
}

/// One slice of C = AB with A (rows, depth), B (depth, cols), C (rows, cols): slice z of the grid
/// adds up `slice` of the depth into its own copy of C. bias: added to every row unless null.
/// A_ALONG_K, B_ALONG_K: whether neighbours in k are neighbours in memory; if not, A's neighbours
/// differ in row, B's in column.
template <bool A_ALONG_K, bool B_ALONG_K>
__global__ void __launch_bounds__(DenseTiles::THREADS)
    dense_tiles_kernel(const float* a, const float* b, const float* bias, float* c, int rows,
                       int cols, int depth, int slice) {
  using T = DenseTiles;
  __shared__ alignas(16) float a_tile[T::BK][T::BM + T::PAD];  // (k, row)
  __shared__ alignas(16) float b_tile[T::BK][T::BN + T::PAD];  // (k, column)
  const int tx = threadIdx.x, ty = threadIdx.y, thread = ty * T::X + tx;
  const int row0 = blockIdx.y * T::BM, col0 = blockIdx.x * T::BN;
  const int k_begin = blockIdx.z * slice, k_end = min(depth, k_begin + slice);

  float sums[T::TM][T::TN] = {};
  for (int k0 = k_begin; k0 < k_end; k0 += T::BK) {
    stage_dense_tile<A_ALONG_K, T::BM>(a, row0, rows, depth, k0, k_end, thread, a_tile);
    stage_dense_tile<B_ALONG_K, T::BN>(b, col0, cols, depth, k0, k_end, thread, b_tile);
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < T::BK; ++k) {
      float a_part[T::TM], b_part[T::TN];
      ch07::read_fours<1>(&a_tile[k][ty * T::TM], a_part);
      ch07::read_fours<1>(&b_tile[k][tx * T::TN], b_part);
      ch07::add_outer_product(a_part, b_part, sums);
    }
    __syncthreads();
  }

  const int row = row0 + ty * T::TM, col = col0 + tx * T::TN;
#pragma unroll
  for (int j = 0; j < T::TN; ++j) {
    const float add = bias != nullptr && col + j < cols ? bias[col + j] : 0.0f;
#pragma unroll
    for (int i = 0; i < T::TM; ++i) sums[i][j] += add;
  }
  const MatrixView<float> copy{c + std::int64_t{blockIdx.z} * rows * cols, rows, cols, cols};
  //! @cond Doxygen takes the call for a declaration.
  ch07::store_sums<1, 1, false>(copy, row, col, sums);
  //! @endcond
}

/// Launches dense_tiles_kernel with the depth in slices of `slice`, a multiple of BK.
template <bool A_ALONG_K, bool B_ALONG_K>
void launch_dense_tiles(const float* a, const float* b, const float* bias, float* c, int rows,
                        int cols, int depth, int slice, cudaStream_t stream) {
  using T = DenseTiles;
  const dim3 grid(ceil_div(cols, T::BN), ceil_div(rows, T::BM), ceil_div(depth, slice));
  dense_tiles_kernel<A_ALONG_K, B_ALONG_K>
      <<<grid, dim3(T::X, T::Y), 0, stream>>>(a, b, bias, c, rows, cols, depth, slice);
  check_launch();
}

}  // namespace tut::ch14
