/// \file
/// The implicit GEMM of implicit_gemm.hpp on tensor cores: factors of 16 bits, sums in FP32.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <type_traits>

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/tensor_cores.hpp"

namespace tut::ch13 {

namespace wmma = nvcuda::wmma;

/// Whether this pass of the compiler has fragments of T: below compute capability 8.0 there are
/// none of bfloat16.
template <class T>
inline constexpr bool fragments_exist =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    std::is_same_v<T, __half>;
#else
    true;
#endif

inline constexpr int CHUNK = 8;     // elements in 16 bytes
inline constexpr int WMMA_BM = 64;  // of the block's tile
inline constexpr int WMMA_BN = 64;
inline constexpr int WMMA_BK = 32;
inline constexpr int WMMA_THREADS = 128;  // four warps, each a quarter of the tile
inline constexpr int PAD = 8;             // rows of a tile begin 4 banks further on

//! [stage-chunks]
/// Stages a tile (OUTER, INNER) of an operand, 16 bytes at a time. `place(outer, inner)` is where
/// the chunk that begins there lies, below 0 for zeros. Without `chunks` every element is asked
/// for.
template <int OUTER, int INNER, class T, class Place>
__device__ void stage_chunks(T (&tile)[OUTER][INNER + PAD], const T* from, bool chunks,
                             const Place& place) {
#pragma unroll
  for (int first = 0; first < OUTER * INNER / CHUNK; first += WMMA_THREADS) {
    const int chunk = first + static_cast<int>(threadIdx.x);
    // Eight neighbouring lanes store 32 words to 32 banks: a row of eight chunks, or, in rows 20
    // words apart, a column of them.
    constexpr int ROW = INNER / CHUNK;
    const int outer = ROW >= 8 ? chunk / ROW : chunk / (8 * ROW) * 8 + chunk % 8;
    const int inner = (ROW >= 8 ? chunk % ROW : chunk / 8 % ROW) * CHUNK;
    if (chunks) {
      const int at = place(outer, inner);
      const uint4 zeros{0, 0, 0, 0};
      *reinterpret_cast<uint4*>(&tile[outer][inner]) =
          at >= 0 ? *reinterpret_cast<const uint4*>(from + at) : zeros;
      continue;
    }
#pragma unroll 1
    for (int i = 0; i < CHUNK; ++i) {
      const int at = place(outer, inner + i);
      tile[outer][inner + i] = at >= 0 ? from[at] : static_cast<T>(0.0f);
    }
  }
}
//! [stage-chunks]

/// Operands has `Element`, `rows`, `cols`, `depth`; pointers `a` and `b`, `a_place(row, k)` and
/// `b_place(k, col)`, below 0 for a zero; `a_chunks` and `b_chunks`, whether 8 neighbours can be
/// read at once; `a_along_k` and `b_along_k`, whether neighbours lie along k; and `write(slice,
/// row, col, sum)`.
template <class Operands>
__global__ void __launch_bounds__(WMMA_THREADS)
    implicit_gemm_wmma_kernel(Operands operands, int slice_depth) {
  using T = typename Operands::Element;
  constexpr int BM = WMMA_BM, BN = WMMA_BN, BK = WMMA_BK, F = 16;  // F: the side of a fragment
  constexpr bool A_K = Operands::a_along_k, B_K = Operands::b_along_k;
  constexpr int A_OUTER = A_K ? BM : BK, A_INNER = A_K ? BK : BM;
  constexpr int B_OUTER = B_K ? BN : BK, B_INNER = B_K ? BK : BN;
  if constexpr (fragments_exist<T>) {
    __shared__ alignas(32) T a_tile[A_OUTER][A_INNER + PAD];  // (row, k) or (k, row)
    __shared__ alignas(32) T b_tile[B_OUTER][B_INNER + PAD];  // (col, k) or (k, col)
    __shared__ alignas(32) float sums[BM][BN + PAD];          // (row, col)
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
    const int first = blockIdx.z * slice_depth;
    const int last = min(first + slice_depth, operands.depth);
    const int warp = threadIdx.x / 32;
    const int row = warp / 2 * 32, col = warp % 2 * 32;  // of the warp's 32 x 32 in the tile

    using Rows = std::conditional_t<A_K, wmma::row_major, wmma::col_major>;
    using Cols = std::conditional_t<B_K, wmma::col_major, wmma::row_major>;
    wmma::fragment<wmma::matrix_a, F, F, F, T, Rows> a[2];
    wmma::fragment<wmma::matrix_b, F, F, F, T, Cols> b[2];
    wmma::fragment<wmma::accumulator, F, F, F, float> sum[2][2];
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) wmma::fill_fragment(sum[i][j], 0.0f);
    }

    for (int k0 = first; k0 < last; k0 += BK) {
      const auto a_place = [&](int outer, int inner) {
        const int r = row0 + (A_K ? outer : inner), k = k0 + (A_K ? inner : outer);
        return r < operands.rows && k < last ? operands.a_place(r, k) : -1;
      };
      const auto b_place = [&](int outer, int inner) {
        const int c = col0 + (B_K ? outer : inner), k = k0 + (B_K ? inner : outer);
        return c < operands.cols && k < last ? operands.b_place(k, c) : -1;
      };
      stage_chunks<A_OUTER, A_INNER>(a_tile, operands.a, operands.a_chunks, a_place);
      stage_chunks<B_OUTER, B_INNER>(b_tile, operands.b, operands.b_chunks, b_place);
      __syncthreads();

      //! [multiply]
#pragma unroll
      for (int k = 0; k < BK; k += F) {
        for (int i = 0; i < 2; ++i) {
          const int r = row + i * F, c = col + i * F;
          wmma::load_matrix_sync(a[i], A_K ? &a_tile[r][k] : &a_tile[k][r], A_INNER + PAD);
          wmma::load_matrix_sync(b[i], B_K ? &b_tile[c][k] : &b_tile[k][c], B_INNER + PAD);
        }
        for (int i = 0; i < 2; ++i) {
          for (int j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
        }
      }
      __syncthreads();
      //! [multiply]
    }

    // Which element of a sum a lane holds is not known: through shared memory it becomes so.
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        wmma::store_matrix_sync(&sums[row + i * F][col + j * F], sum[i][j], BN + PAD,
                                wmma::mem_row_major);
      }
    }
    __syncthreads();
    for (int at = threadIdx.x; at < BM * BN; at += WMMA_THREADS) {
      const int r = at / BN, c = at % BN;
      if (row0 + r < operands.rows && col0 + c < operands.cols) {
        operands.write(blockIdx.z, row0 + r, col0 + c, sums[r][c]);
      }
    }
  }
}

/// Launches the kernel with tiles of 64 x 64; `slices` parts of the depth.
template <class Operands>
void launch_implicit_gemm_wmma(const Operands& operands, int slices, cudaStream_t stream) {
  const dim3 grid(ceil_div(operands.cols, WMMA_BN), ceil_div(operands.rows, WMMA_BM), slices);
  const int slice_depth = round_up(ceil_div(operands.depth, slices), WMMA_BK);
  implicit_gemm_wmma_kernel<<<grid, WMMA_THREADS, 0, stream>>>(operands, slice_depth);
  check_launch();
}

}  // namespace tut::ch13
