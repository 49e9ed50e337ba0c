#include "12_mixed_precision/matmul_3xtf32.hpp"

#include "10_mma_pipelines/fragment_layout.hpp"
#include "12_mixed_precision/four_elements.cuh"
#include "12_mixed_precision/split_tiles.cuh"
#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/ptx/mma.cuh"

namespace tut::ch12 {
namespace {

using namespace split_tiles;

constexpr int WM = 64, WN = 32;  // a warp's tile of C, of the block's BM x BN
static_assert(THREADS == 32 * (BM / WM) * (BN / WN), "the warps' tiles cover the block's");

constexpr int M = WM / 8, N = WN / 16;  // fragments in a warp's tile, each of 8 x 16
constexpr int STRIP = 4;                // of them so many down at a time

/// [i][j]: 8 rows of C from 8 i, 16 columns from 16 j.
using WarpSums = float[M][N][4];

// Below compute capability 8.0 there is no TF32; the launcher says so.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

/// A part of the warp's tile: STRIP fragments of the M.
using StripSums = float[STRIP][N][4];

//! [add-products]
/// sums += product p of the stage: 8 k's of rows of A and columns of B.
__device__ __forceinline__ void add_products(StripSums& sums, const RowParts (&a)[STRIP],
                                             const ColumnParts (&b)[N], int p) {
#pragma unroll
  for (int i = 0; i < STRIP; ++i) {
#pragma unroll
    for (int j = 0; j < N; ++j) {
      ptx::mma_m16n8k8_f32_tf32(sums[i][j], b[j][p], a[i][p], sums[i][j]);
    }
  }
}
//! [add-products]

/// Adds a strip to the rows of the warp's tile from fragment `top`.
__device__ __forceinline__ void take_over(const StripSums& part, int top, WarpSums& sums) {
#pragma unroll
  for (int i = 0; i < STRIP; ++i) {
#pragma unroll
    for (int j = 0; j < N; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[top + i][j][e] += part[i][j][e];
    }
  }
}

/// sums += the product of the staged tiles, for the warp's tile of C at (row, col) in the block's.
__device__ __forceinline__ void multiply(const Stage& tiles, int row, int col, WarpSums& sums) {
  //! [multiply]
  ColumnParts b_hi[N], b_lo[N];
#pragma unroll
  for (int j = 0; j < N; ++j) {
    load_columns(tiles.b_hi, col + 16 * j, b_hi[j]);
    load_columns(tiles.b_lo, col + 16 * j, b_lo[j]);
  }
#pragma unroll
  for (int top = 0; top < M; top += STRIP) {
    RowParts a_hi[STRIP], a_lo[STRIP];
#pragma unroll
    for (int i = 0; i < STRIP; ++i) {
      load_rows(tiles.a_hi, row + 8 * (top + i), a_hi[i]);
      load_rows(tiles.a_lo, row + 8 * (top + i), a_lo[i]);
    }
    StripSums part = {};
#pragma unroll
    for (int p = 0; p < PRODUCTS; ++p) {
      add_products(part, a_lo, b_hi, p);  // small terms first: they lose few bits to a small sum
      add_products(part, a_hi, b_lo, p);
      add_products(part, a_hi, b_hi, p);
    }
    take_over(part, top, sums);  // tensor cores cut, these additions round: they make the long sum
  }
  //! [multiply]
}

#endif

template <bool WIDE>
__global__ void __launch_bounds__(THREADS)
    matmul_3xtf32_kernel([[maybe_unused]] MatrixView<const float> a,
                         [[maybe_unused]] MatrixView<const float> b,
                         [[maybe_unused]] MatrixView<float> c) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  extern __shared__ __align__(128) unsigned char memory[];
  Stage* stages = reinterpret_cast<Stage*>(memory);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;  // of the warp's tile
  WarpSums sums = {};

  Fetched next;
  fetch<WIDE>(a, b, 0, next);
  stage(next, stages[0]);
  fetch<WIDE>(a, b, BK, next);
  __syncthreads();
  //! [pipeline]
  // While one stage is multiplied, the other is filled with what was fetched a round ago. Half of
  // the warps fill first and half multiply first, so that splitting and tensor cores overlap.
  const bool fills_first = warp < THREADS / 64;
  for (int k0 = 0, now = 0; k0 < a.cols; k0 += BK, now ^= 1) {
    const auto fill = [&] {
      stage(next, stages[now ^ 1]);
      fetch<WIDE>(a, b, k0 + 2 * BK, next);
    };
    if (fills_first) fill();
    multiply(stages[now], row, col, sums);
    if (!fills_first) fill();
    __syncthreads();
  }
  //! [pipeline]

  //! [store]
  const int first_row = blockIdx.y * BM + row, first_col = blockIdx.x * BN + col;
#pragma unroll
  for (int i = 0; i < M; ++i) {
#pragma unroll
    for (int j = 0; j < N; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const ch10::Place at =
            ch10::sum_place(static_cast<int>(threadIdx.x) % 32, e);  // of the transposed
        store_two<WIDE>({sums[i][j][e], sums[i][j][e + 2]}, c, first_row + 8 * i + at.col,
                        first_col + 16 * j + column_of(at.row));
      }
    }
  }
  //! [store]
#endif
}

}  // namespace

void matmul_3xtf32(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                   cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require_tf32_and_bfloat16("matmul_3xtf32");

  const bool wide = has_rows_of_float4(a) && has_rows_of_float4(b) && has_rows_of_float4(c);
  const auto kernel = wide ? matmul_3xtf32_kernel<true> : matmul_3xtf32_kernel<false>;
  constexpr int BYTES = 2 * sizeof(Stage);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  kernel<<<grid, THREADS, BYTES, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch12
