#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "tut/check.hpp"
#include "tut/math.hpp"

namespace tut::ch14 {

/// A product's tiles: a block of X x Y threads computes BM x BN elements, BK of the depth at a
/// time, a thread TM x TN of them.
struct DenseTiles {
  static constexpr int X = 32, Y = 8, TM = 8, TN = 2;
  static constexpr int BM = Y * TM, BN = X * TN, BK = 32;
};

/// One slice of C = AB with A (rows, depth), B (depth, cols), C (rows, cols): slice z of the grid
/// adds up `slice` of the depth into its own copy of C. bias: added to every row, if it is there.
/// A_ALONG_K, B_ALONG_K: whether neighbours in k are neighbours in memory; if not, A's neighbours
/// differ in row, B's in column.
template <bool A_ALONG_K, bool B_ALONG_K>
__global__ void dense_tiles_kernel(const float* a, const float* b, const float* bias, float* c,
                                   int rows, int cols, int depth, int slice) {
  using T = DenseTiles;
  __shared__ float a_tile[T::BM][T::BK + 1];  // (row, k), padded: some write down its columns
  __shared__ float b_tile[T::BK][T::BN + 1];  // (k, col), padded for the same reason
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row0 = blockIdx.y * T::BM;
  const int col0 = blockIdx.x * T::BN;
  const int k_begin = blockIdx.z * slice;
  const int k_end = min(depth, k_begin + slice);

  float sum[T::TM][T::TN] = {};
  for (int k0 = k_begin; k0 < k_end; k0 += T::BK) {
    // Stage a tile of each factor, neighbours in tx along memory; 0 outside.
    if (A_ALONG_K) {
      for (int r = ty; r < T::BM; r += T::Y) {
        const int row = row0 + r, k = k0 + tx;
        a_tile[r][tx] = row < rows && k < k_end ? a[std::int64_t{row} * depth + k] : 0.0f;
      }
    } else {
      for (int k = ty; k < T::BK; k += T::Y) {
        for (int r = tx; r < T::BM; r += T::X) {
          const int row = row0 + r;
          a_tile[r][k] = row < rows && k0 + k < k_end ? a[std::int64_t{k0 + k} * rows + row] : 0.0f;
        }
      }
    }
    if (B_ALONG_K) {
      for (int j = ty; j < T::BN; j += T::Y) {
        const int col = col0 + j, k = k0 + tx;
        b_tile[tx][j] = col < cols && k < k_end ? b[std::int64_t{col} * depth + k] : 0.0f;
      }
    } else {
      for (int k = ty; k < T::BK; k += T::Y) {
        for (int j = tx; j < T::BN; j += T::X) {
          const int col = col0 + j;
          b_tile[k][j] = col < cols && k0 + k < k_end ? b[std::int64_t{k0 + k} * cols + col] : 0.0f;
        }
      }
    }
    __syncthreads();

    // A tile's sums stay in registers, and join the others at its end: shorter sums, less rounding.
    float part[T::TM][T::TN] = {};
    for (int k = 0; k < T::BK; ++k) {
#pragma unroll
      for (int i = 0; i < T::TM; ++i) {
#pragma unroll
        for (int j = 0; j < T::TN; ++j) {
          part[i][j] += a_tile[ty * T::TM + i][k] * b_tile[k][tx + T::X * j];
        }
      }
    }
#pragma unroll
    for (int i = 0; i < T::TM; ++i) {
#pragma unroll
      for (int j = 0; j < T::TN; ++j) sum[i][j] += part[i][j];
    }
    __syncthreads();
  }

  float* copy = c + std::int64_t{blockIdx.z} * rows * cols;
#pragma unroll
  for (int i = 0; i < T::TM; ++i) {
#pragma unroll
    for (int j = 0; j < T::TN; ++j) {
      const int row = row0 + ty * T::TM + i, col = col0 + tx + T::X * j;
      if (row < rows && col < cols) {
        copy[std::int64_t{row} * cols + col] = sum[i][j] + (bias != nullptr ? bias[col] : 0.0f);
      }
    }
  }
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
