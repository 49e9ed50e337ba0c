#include "12_mixed_precision/matmul_3xtf32.hpp"

#include <mma.h>

#include "12_mixed_precision/four_elements.cuh"
#include "12_mixed_precision/split_tiles.cuh"
#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

using namespace split_tiles;

constexpr int WM = 64, WN = 32;  // a warp's tile of C, of the block's BM x BN
static_assert(THREADS == 32 * (BM / WM) * (BN / WN), "the warps' tiles cover the block's");

using ResultTile = float[BM][BN + 8];
static_assert(sizeof(ResultTile) <= 2 * sizeof(Stage), "C passes through the stages' memory");

// Below compute capability 8.0 there is no TF32; the launcher says so.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

namespace wmma = nvcuda::wmma;
using APart = wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major>;
using BPart = wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 8, float>;

constexpr int M = WM / 16, N = WN / 16;  // fragments in a warp's tile

//! [warp-tile]
/// The fragments of a warp's tile of C, 64 x 32, which is M x N fragments of 16 x 16.
struct WarpTile {
  Sum sum[M][N];

  __device__ void clear() {
    for (auto& row : sum) {
      for (Sum& one : row) wmma::fill_fragment(one, 0.0f);
    }
  }
  __device__ void add_product(const APart (&x)[M], const BPart (&y)[N]) {
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) wmma::mma_sync(sum[i][j], x[i], y[j], sum[i][j]);
    }
  }
  __device__ void add(const WarpTile& part) {
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) {
        for (int e = 0; e < Sum::num_elements; ++e) sum[i][j].x[e] += part.sum[i][j].x[e];
      }
    }
  }
};
//! [warp-tile]

/// sum += the product of the staged tiles, for the warp's tile of C at (row, col) in the block's.
__device__ void multiply(const Stage& tiles, int row, int col, WarpTile& sum) {
  //! [multiply]
  WarpTile part;
  part.clear();
  for (int k = 0; k < BK; k += 8) {
    APart a_hi[M], a_lo[M];
    BPart b_hi[N], b_lo[N];
    for (int i = 0; i < M; ++i) {
      wmma::load_matrix_sync(a_hi[i], &tiles.a_hi[row + 16 * i][k], BK + 4);
      wmma::load_matrix_sync(a_lo[i], &tiles.a_lo[row + 16 * i][k], BK + 4);
    }
    for (int j = 0; j < N; ++j) {
      wmma::load_matrix_sync(b_hi[j], &tiles.b_hi[k][col + 16 * j], BN + 8);
      wmma::load_matrix_sync(b_lo[j], &tiles.b_lo[k][col + 16 * j], BN + 8);
    }
    part.add_product(a_lo, b_hi);  // small terms first: they lose few bits to a small sum
    part.add_product(a_hi, b_lo);
    part.add_product(a_hi, b_hi);
  }
  sum.add(part);  // tensor cores cut, FP32 additions round: the long sum is made by these
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
  WarpTile sum;
  sum.clear();

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
    multiply(stages[now], row, col, sum);
    if (!fills_first) fill();
    __syncthreads();
  }
  //! [pipeline]

  ResultTile& result = *reinterpret_cast<ResultTile*>(memory);
  for (int i = 0; i < M; ++i) {
    for (int j = 0; j < N; ++j) {
      wmma::store_matrix_sync(&result[row + 16 * i][col + 16 * j], sum.sum[i][j], BN + 8,
                              wmma::mem_row_major);
    }
  }
  __syncthreads();
  for (int four = static_cast<int>(threadIdx.x); four < BM * BN / 4; four += THREADS) {
    const int r = four / (BN / 4), s = four % (BN / 4) * 4;
    const float4 values = *reinterpret_cast<const float4*>(&result[r][s]);
    store_four<WIDE>(values, c, blockIdx.y * BM + r, blockIdx.x * BN + s);
  }
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
