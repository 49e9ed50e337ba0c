/// \file
/// The implicit GEMM of implicit_gemm.hpp on tensor cores: factors of 16 bits or TF32, sums in
/// FP32.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <type_traits>

#include "13_convolution/convolution_shape.hpp"
#include "tut/device/tensor_cores.hpp"
#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"
#include "tut/numeric/tf32.hpp"

namespace tut::ch13 {

namespace wmma = nvcuda::wmma;

/// What fragments of T are made of; a product sums DEPTH elements of a row.
template <class T>
struct FragmentOf {
  using Element = T;
  static constexpr int DEPTH = 16;
};

/// Whether this pass of the compiler has such fragments: below compute capability 8.0 there are
/// those of half alone.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
template <class T>
inline constexpr bool fragments_exist = std::is_same_v<T, __half>;
#else
template <class T>
inline constexpr bool fragments_exist = true;

template <>
struct FragmentOf<Tf32> {
  using Element = wmma::precision::tf32;
  static constexpr int DEPTH = 8;
};
#endif

/// Elements as load_matrix_sync wants them. TF32 are floats to it, which were rounded when they
/// were stored: by then rounding and ReLU, or rounding and the largest of a window, could change
/// places, and no fragment has to be rounded once more for each of its products.
template <class T>
__device__ const T* fragment_data(const T* elements) {
  return elements;
}
__device__ inline const float* fragment_data(const Tf32* elements) {
  return reinterpret_cast<const float*>(elements);
}

inline constexpr int WMMA_BK = 32;
inline constexpr int WMMA_THREADS = 128;  // four warps, each a quarter of the tile
inline constexpr int SUM_PAD = 8;         // 4 rows of 8 sums lie in 32 banks

/// Elements in 16 bytes.
template <class T>
inline constexpr int CHUNK = 16 / sizeof(T);

/// Elements that lengthen the rows of a tile. A warp loads 8 rows of 16 bytes at once, which the
/// pad puts into 32 banks. Of TF32 it loads one element a lane, 8 rows by 4 in k: if rows lie along
/// k that is the same, and if k counts the rows it is 4 rows of 32 bytes.
template <class T, bool ALONG_K>
inline constexpr int PAD = sizeof(T) == 4 && !ALONG_K ? 8 : CHUNK<T>;

//! [runs]
/// A run of an operand: its elements from one on, of which `place()` is where the first lies, below
/// 0 for a zero; `advance()` goes on to the next. Only the first costs divisions. Here they are
/// neighbours in memory.
struct Neighbours {
  int at;

  __device__ int place() const { return at; }
  __device__ void advance() { ++at; }
};

/// The elements of the input that the taps of a filter lie over, channels innermost: neighbours, as
/// far as a row of the filter goes.
struct InputTaps {
  const ConvolutionShape& shape;
  int y, x;          // the pixel
  int channel, col;  // of the tap
  unsigned at;       // where its element lies; in the padding it has none

  __device__ int place() const {
    const bool inside = y >= 0 && y < shape.h && x >= 0 && x < shape.w;
    return inside ? static_cast<int>(at) : -1;
  }
  __device__ void advance() {
    ++at;
    if (++channel < shape.c) return;
    channel = 0;
    ++x;
    if (++col < shape.f) return;
    col = 0;
    x -= shape.f;
    ++y;
    at += static_cast<unsigned>((shape.w - shape.f) * shape.c);
  }
};

/// The run from a tap on, of the filter that is at `out`.
__device__ inline InputTaps input_taps(const ConvolutionShape& shape, const Pixel& out,
                                       const Tap& tap) {
  const int y = out.y * shape.stride + tap.row - shape.padding;
  const int x = out.x * shape.stride + tap.col - shape.padding;
  const unsigned pixel = (static_cast<unsigned>(out.image * shape.h) + y) * shape.w + x;
  return {shape, y, x, tap.channel, tap.col, pixel * shape.c + tap.channel};
}
//! [runs]

//! [stage-chunks]
/// Stages a tile (OUTER, INNER) of an operand, 16 bytes at a time. The run `run(outer, inner)`
/// begins there; from `outer_end` and `inner_end` on are zeros. Without `chunks` every element is
/// loaded by itself.
template <int INNER, int OUTER, int STRIDE, class T, class RunAt>
__device__ void stage_chunks(T (&tile)[OUTER][STRIDE], const T* from, bool chunks, int outer_end,
                             int inner_end, const RunAt& run) {
  constexpr int ROW = INNER / CHUNK<T>, COUNT = OUTER * ROW;
#pragma unroll
  for (int first = 0; first < COUNT; first += WMMA_THREADS) {
    const int chunk = first + static_cast<int>(threadIdx.x);
    if (COUNT < WMMA_THREADS && chunk >= COUNT) break;
    // Eight neighbouring lanes store 32 words to 32 banks: a row of eight chunks, or a column of
    // them. In rows 24 words apart the fifth has the first's banks: there the next column begins.
    constexpr bool TURNS = ROW < 8 && STRIDE * sizeof(T) % 128 == 96;
    const int column = chunk / 8 + (TURNS ? chunk % 8 / 4 : 0);
    const int outer = ROW >= 8 ? chunk / ROW : chunk / (8 * ROW) * 8 + chunk % 8;
    const int inner = (ROW >= 8 ? chunk % ROW : column % ROW) * CHUNK<T>;
    const bool there = outer < outer_end && inner < inner_end;
    if (chunks || !there) {
      const int at = there ? run(outer, inner).place() : -1;
      const uint4 zeros{0, 0, 0, 0};
      *reinterpret_cast<uint4*>(&tile[outer][inner]) =
          at >= 0 ? *reinterpret_cast<const uint4*>(from + at) : zeros;
      continue;
    }
    auto elements = run(outer, inner);
#pragma unroll 1
    for (int i = 0; i < CHUNK<T>; ++i) {
      const int at = inner + i < inner_end ? elements.place() : -1;
      tile[outer][inner + i] = at >= 0 ? from[at] : static_cast<T>(0.0f);
      elements.advance();
    }
  }
}
//! [stage-chunks]

/// Operands has `Element`, `rows`, `cols`, `depth`; pointers `a` and `b`, the runs `a_run(row, k)`
/// and `b_run(k, col)`; `a_chunks` and `b_chunks`, whether 16 bytes can be read at once;
/// `a_along_k` and `b_along_k`, whether runs go along k; and `write(slice, row, col, sum)`. A block
/// computes BM x BN sums.
template <class Operands, int BM, int BN>
__global__ void __launch_bounds__(WMMA_THREADS)
    implicit_gemm_wmma_kernel(Operands operands, int slice_depth) {
  using T = typename Operands::Element;
  constexpr int BK = WMMA_BK, F = 16;                            // F: the side of a fragment
  constexpr int WM = BM < 32 ? BM : 32, WN = BN < 32 ? BN : 32;  // the warp's part
  constexpr int M = WM / F, N = WN / F;                          // in fragments
  static_assert(BM / WM * (BN / WN) == WMMA_THREADS / 32, "the warps' parts cover the tile");
  constexpr bool A_K = Operands::a_along_k, B_K = Operands::b_along_k;
  constexpr int A_OUTER = A_K ? BM : BK, A_INNER = A_K ? BK : BM, A_STRIDE = A_INNER + PAD<T, A_K>;
  constexpr int B_OUTER = B_K ? BN : BK, B_INNER = B_K ? BK : BN, B_STRIDE = B_INNER + PAD<T, B_K>;
  if constexpr (fragments_exist<T>) {
    __shared__ alignas(32) T a_tile[A_OUTER][A_STRIDE];   // (row, k) or (k, row)
    __shared__ alignas(32) T b_tile[B_OUTER][B_STRIDE];   // (col, k) or (k, col)
    __shared__ alignas(32) float sums[BM][BN + SUM_PAD];  // (row, col)
    // Tiles are counted in one direction, in which a grid has room for any number of pixels.
    const int across = ceil_div(operands.cols, BN);
    const int row0 = static_cast<int>(blockIdx.x) / across * BM;
    const int col0 = static_cast<int>(blockIdx.x) % across * BN;
    const int first = blockIdx.z * slice_depth;
    const int last = min(first + slice_depth, operands.depth);
    const int warp = threadIdx.x / 32;
    const int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;  // of its part in the tile
    const bool busy = row0 + row < operands.rows && col0 + col < operands.cols;

    using Element = typename FragmentOf<T>::Element;
    constexpr int DEPTH = FragmentOf<T>::DEPTH;
    using Rows = std::conditional_t<A_K, wmma::row_major, wmma::col_major>;
    using Cols = std::conditional_t<B_K, wmma::col_major, wmma::row_major>;
    wmma::fragment<wmma::matrix_a, F, F, DEPTH, Element, Rows> a[M];
    wmma::fragment<wmma::matrix_b, F, F, DEPTH, Element, Cols> b[N];
    wmma::fragment<wmma::accumulator, F, F, DEPTH, float> sum[M][N];
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) wmma::fill_fragment(sum[i][j], 0.0f);
    }

    for (int k0 = first; k0 < last; k0 += BK) {
      const int rows = operands.rows - row0, cols = operands.cols - col0, depth = last - k0;
      const auto a_run = [&](int outer, int inner) {
        return operands.a_run(row0 + (A_K ? outer : inner), k0 + (A_K ? inner : outer));
      };
      const auto b_run = [&](int outer, int inner) {
        return operands.b_run(k0 + (B_K ? inner : outer), col0 + (B_K ? outer : inner));
      };
      stage_chunks<A_INNER>(a_tile, operands.a, operands.a_chunks, A_K ? rows : depth,
                            A_K ? depth : rows, a_run);
      stage_chunks<B_INNER>(b_tile, operands.b, operands.b_chunks, B_K ? cols : depth,
                            B_K ? depth : cols, b_run);
      __syncthreads();

      //! [multiply]
      if (busy) {  // or the warp's part lies outside of the result
#pragma unroll
        for (int k = 0; k < BK; k += DEPTH) {
          for (int i = 0; i < M; ++i) {
            const int r = row + i * F;
            const T* from = A_K ? &a_tile[r][k] : &a_tile[k][r];
            wmma::load_matrix_sync(a[i], fragment_data(from), A_STRIDE);
          }
          for (int j = 0; j < N; ++j) {
            const int c = col + j * F;
            const T* from = B_K ? &b_tile[c][k] : &b_tile[k][c];
            wmma::load_matrix_sync(b[j], fragment_data(from), B_STRIDE);
          }
          for (int i = 0; i < M; ++i) {
            for (int j = 0; j < N; ++j) wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
          }
        }
      }
      __syncthreads();
      //! [multiply]
    }

    // Which element of a sum a lane holds is not known: through shared memory it becomes so.
    for (int i = 0; i < M && busy; ++i) {
      for (int j = 0; j < N; ++j) {
        wmma::store_matrix_sync(&sums[row + i * F][col + j * F], sum[i][j], BN + SUM_PAD,
                                wmma::mem_row_major);
      }
    }
    __syncthreads();
    for (int at = threadIdx.x; at < BM * BN; at += WMMA_THREADS) {
      // A warp takes two rows of 16 that have no bank in common; neighbouring rows have.
      const int line = at / BN;
      const int r = BN >= 32 ? line : line / 4 * 4 + line % 2 * 2 + line / 2 % 2, c = at % BN;
      if (row0 + r < operands.rows && col0 + c < operands.cols) {
        operands.write(blockIdx.z, row0 + r, col0 + c, sums[r][c]);
      }
    }
  }
}

/// The tiles of a result. One of few columns, or of few rows, gets tiles that do not waste more
/// than they compute.
struct WmmaTiles {
  int rows, cols;

  static constexpr WmmaTiles of(int result_rows, int result_cols) {
    if (result_cols <= 16) return {128, 16};
    if (result_rows <= 16) return {16, 128};
    return {64, 64};
  }
  /// How many a result takes.
  static constexpr int count(int result_rows, int result_cols) {
    const WmmaTiles tile = of(result_rows, result_cols);
    return ceil_div(result_rows, tile.rows) * ceil_div(result_cols, tile.cols);
  }
};

template <int BM, int BN, class Operands>
void launch_wmma_tiles(const Operands& operands, int slices, cudaStream_t stream) {
  const dim3 grid(ceil_div(operands.cols, BN) * ceil_div(operands.rows, BM), 1, slices);
  const int slice_depth = round_up(ceil_div(operands.depth, slices), WMMA_BK);
  implicit_gemm_wmma_kernel<Operands, BM, BN>
      <<<grid, WMMA_THREADS, 0, stream>>>(operands, slice_depth);
  check_launch();
}

/// Launches the kernel with tiles that suit the result; `slices` parts of the depth.
template <class Operands>
void launch_implicit_gemm_wmma(const Operands& operands, int slices, cudaStream_t stream) {
  switch (WmmaTiles::of(operands.rows, operands.cols).cols) {
    case 16:
      return launch_wmma_tiles<128, 16>(operands, slices, stream);
    case 128:
      return launch_wmma_tiles<16, 128>(operands, slices, stream);
    default:
      return launch_wmma_tiles<64, 64>(operands, slices, stream);
  }
}

}  // namespace tut::ch13
