#include "12_mixed_precision/matmul_3xtf32.hpp"

#include <mma.h>

#include <cstdint>

#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch12 {
namespace {

constexpr int BM = 128, BN = 128, BK = 16;  // a block's tile of C, and how much of k is staged
constexpr int WM = 64, WN = 32;             // a warp's tile of C
constexpr int WARPS_N = BN / WN, THREADS = 32 * (BM / WM) * WARPS_N;
constexpr int FOURS = BM * BK / 4 / THREADS;  // of each matrix that a thread stages
static_assert(BM == BN && FOURS * THREADS * 4 == BM * BK, "threads share both tiles evenly");

/// Tiles of A and B as pairs of TF32 numbers. The pads put what a warp loads at once into 32 banks.
struct Stage {
  float a_hi[BM][BK + 4], a_lo[BM][BK + 4];  // (row, k)
  float b_hi[BK][BN + 8], b_lo[BK][BN + 8];  // (k, col)
};
using ResultTile = float[BM][BN + 8];
static_assert(sizeof(ResultTile) <= 2 * sizeof(Stage), "C passes through the stages' memory");

// Below compute capability 8.0 there is no TF32; the launcher says so.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

namespace wmma = nvcuda::wmma;
using APart = wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major>;
using BPart = wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 8, float>;

/// Elements (r, c) to (r, c + 3), 0 outside the matrix. WIDE: all four are inside or none is, and
/// their address is a multiple of 16.
template <bool WIDE>
__device__ float4 load_four(MatrixView<const float> m, int r, int c) {
  if (WIDE) {
    const bool inside = r < m.rows && c < m.cols;
    return inside ? *reinterpret_cast<const float4*>(&m(r, c)) : float4{0.0f, 0.0f, 0.0f, 0.0f};
  }
  const auto at = [&](int col) { return r < m.rows && col < m.cols ? m(r, col) : 0.0f; };
  return {at(c), at(c + 1), at(c + 2), at(c + 3)};
}

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
__device__ float cut_to_tf32(float x) { return __uint_as_float(__float_as_uint(x) & 0xFFFFE000u); }

/// x = hi + lo but for 2^-23 of x: hi is x rounded to TF32's 11 significant bits, and lo takes 11
/// of the 12 that are left. The subtraction is exact.
__device__ void split(float x, float& hi, float& lo) {
  hi =
      cut_to_tf32(__uint_as_float(__float_as_uint(x) + 0x1000u));  // half a unit of hi's last place
  lo = cut_to_tf32(x - hi);
}
//! [split]

__device__ void split_four(float4 x, float* hi, float* lo) {
  float4 h, l;
  split(x.x, h.x, l.x);
  split(x.y, h.y, l.y);
  split(x.z, h.z, l.z);
  split(x.w, h.w, l.w);
  *reinterpret_cast<float4*>(hi) = h;
  *reinterpret_cast<float4*>(lo) = l;
}

__device__ void stage(const Fetched& from, Stage& to) {
  for (int i = 0; i < FOURS; ++i) {
    const int four = i * THREADS + static_cast<int>(threadIdx.x);
    const int a_row = four / (BK / 4), a_k = four % (BK / 4) * 4;
    const int b_k = four / (BN / 4), b_col = four % (BN / 4) * 4;
    split_four(from.a[i], &to.a_hi[a_row][a_k], &to.a_lo[a_row][a_k]);
    split_four(from.b[i], &to.b_hi[b_k][b_col], &to.b_lo[b_k][b_col]);
  }
}

constexpr int M = WM / 16, N = WN / 16;  // fragments in a warp's tile

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

/// The block's tile to C, four elements a thread at a time.
template <bool WIDE>
__device__ void write(const ResultTile& tile, MatrixView<float> c) {
  for (int i = static_cast<int>(threadIdx.x); i < BM * BN / 4; i += THREADS) {
    const int tile_row = i / (BN / 4), tile_col = i % (BN / 4) * 4;
    const int row = blockIdx.y * BM + tile_row, col = blockIdx.x * BN + tile_col;
    if (row >= c.rows) return;
    const float* four = &tile[tile_row][tile_col];
    if (WIDE) {
      if (col < c.cols) {
        *reinterpret_cast<float4*>(&c(row, col)) = *reinterpret_cast<const float4*>(four);
      }
    } else {
      for (int e = 0; e < 4; ++e) {
        if (col + e < c.cols) c(row, col + e) = four[e];
      }
    }
  }
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
  const int row = warp / WARPS_N * WM, col = warp % WARPS_N * WN;  // of the warp's tile
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
  write<WIDE>(result, c);
#endif
}

template <class T>
bool has_rows_of_float4(const MatrixView<T>& m) {
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.stride % 4 == 0 && m.cols % 4 == 0;
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
