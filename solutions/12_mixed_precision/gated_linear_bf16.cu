#include "12_mixed_precision/gated_linear_bf16.hpp"

#include <mma.h>

#include "09_wmma/fragments.hpp"
#include "09_wmma/staging.hpp"
#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {

//! [blank-gated_linear_bf16]
namespace {

using Number = __nv_bfloat16;
using ch09::PAD;
using ch09::TILE;

constexpr int BM = 128, BN = 64, BK = 32;  // the block's tile of y, and its step of k
constexpr int WM = 32, WN = 32;            // the warp's tile: 2 x 2 sums of each product
constexpr int WARPS_ACROSS = BN / WN, WARPS = BM / WM * WARPS_ACROSS, THREADS = 32 * WARPS;
constexpr int ROWS = WM / TILE, COLS = WN / TILE;
constexpr int STRIP = WN + 8;  // floats: four rows of a sum, 8 each, lie in 32 different banks

/// The tiles of one step of k. All lie as in memory, (row, k).
struct Stage {
  alignas(32) Number x[BM][BK + PAD];
  alignas(32) Number gate[BN][BK + PAD];
  alignas(32) Number up[BN][BK + PAD];
};
static_assert(WARPS * TILE * STRIP * sizeof(float) <= 2 * sizeof(Stage), "strips in their place");

// Below compute capability 8.0 there is no bfloat16; the launcher says so.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

using WeightPart = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, TILE, TILE, TILE, Number,
                                          nvcuda::wmma::col_major>;

/// The warp's sums of both products.
struct Sums {
  ch09::Accumulator gate[ROWS][COLS], up[ROWS][COLS];
};

/// Adds the products of one step. Each fragment of x is used for both.
__device__ void multiply(const Stage& stage, int row, int col, Sums& sums) {
#pragma unroll
  for (int k = 0; k < BK; k += TILE) {
    ch09::FragmentA<Number> x_part[ROWS];
#pragma unroll
    for (int m = 0; m < ROWS; ++m) {
      nvcuda::wmma::load_matrix_sync(x_part[m], &stage.x[row + m * TILE][k], BK + PAD);
    }
#pragma unroll
    for (int n = 0; n < COLS; ++n) {
      WeightPart gate_part, up_part;
      nvcuda::wmma::load_matrix_sync(gate_part, &stage.gate[col + n * TILE][k], BK + PAD);
      nvcuda::wmma::load_matrix_sync(up_part, &stage.up[col + n * TILE][k], BK + PAD);
#pragma unroll
      for (int m = 0; m < ROWS; ++m) {
        nvcuda::wmma::mma_sync(sums.gate[m][n], x_part[m], gate_part, sums.gate[m][n]);
        nvcuda::wmma::mma_sync(sums.up[m][n], x_part[m], up_part, sums.up[m][n]);
      }
    }
  }
}

__device__ float silu(float t) { return t / (1.0f + expf(-t)); }

/// Writes a strip of 16 rows, rounded: 8 neighbours a lane, at once where `vectors` says so.
__device__ void store_strip(const float (&strip)[TILE][STRIP], MatrixView<Number> y, int row0,
                            int col0, bool vectors) {
  for (int i = threadIdx.x % 32; i < TILE * WN / 8; i += 32) {
    const int row = row0 + i / (WN / 8), col = col0 + i % (WN / 8) * 8;
    if (row >= y.rows) return;
    const auto* from = reinterpret_cast<const float4*>(&strip[i / (WN / 8)][i % (WN / 8) * 8]);
    const float4 left = from[0], right = from[1];
    const float values[8] = {left.x, left.y, left.z, left.w, right.x, right.y, right.z, right.w};
    alignas(16) Number eight[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) eight[j] = __float2bfloat16_rn(values[j]);
    if (vectors && col + 8 <= y.cols) {
      *reinterpret_cast<uint4*>(&y(row, col)) = *reinterpret_cast<const uint4*>(eight);
    } else {
      for (int j = 0; j < 8 && col + j < y.cols; ++j) y(row, col + j) = eight[j];
    }
  }
}

#endif

__global__ void __launch_bounds__(THREADS)
    gated_linear_bf16_kernel([[maybe_unused]] MatrixView<const Number> x,
                             [[maybe_unused]] MatrixView<const Number> gate,
                             [[maybe_unused]] MatrixView<const Number> up,
                             [[maybe_unused]] MatrixView<Number> y) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  __shared__ Stage stages[2];
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of y
  const int warp = threadIdx.x / 32;
  const int row = warp / WARPS_ACROSS * WM, col = warp % WARPS_ACROSS * WN;  // in it
  const bool x_vectors = ch09::is_float4_accessible(x);
  const bool gate_vectors = ch09::is_float4_accessible(gate);
  const bool up_vectors = ch09::is_float4_accessible(up);
  const auto copy = [&](int k0, Stage& stage) {
    ch09::stage_tile<THREADS, BK, true>(x, row0, k0, x_vectors, stage.x);
    ch09::stage_tile<THREADS, BK, true>(gate, col0, k0, gate_vectors, stage.gate);
    ch09::stage_tile<THREADS, BK, true>(up, col0, k0, up_vectors, stage.up);
    __pipeline_commit();
  };

  Sums sums;
#pragma unroll
  for (int m = 0; m < ROWS; ++m) {
#pragma unroll
    for (int n = 0; n < COLS; ++n) {
      nvcuda::wmma::fill_fragment(sums.gate[m][n], 0.0f);
      nvcuda::wmma::fill_fragment(sums.up[m][n], 0.0f);
    }
  }
  copy(0, stages[0]);
  for (int k0 = 0, now = 0; k0 < x.cols; k0 += BK, now ^= 1) {
    __pipeline_wait_prior(0);
    __syncthreads();  // this step's tiles are here, and nobody reads the other stage any more
    if (k0 + BK < x.cols) copy(k0 + BK, stages[now ^ 1]);
    multiply(stages[now], row, col, sums);
  }

  // Fragments of one type have the same layout: what belongs together lies in the same element.
  __syncthreads();  // nobody reads the tiles any more: their place takes the strips
  auto& strip = reinterpret_cast<float(*)[TILE][STRIP]>(stages)[warp];
  const bool y_vectors = ch09::is_float4_accessible(y);
#pragma unroll
  for (int m = 0; m < ROWS; ++m) {
#pragma unroll
    for (int n = 0; n < COLS; ++n) {
      ch09::Accumulator& part = sums.gate[m][n];
#pragma unroll
      for (int i = 0; i < part.num_elements; ++i) {
        part.x[i] = silu(part.x[i]) * sums.up[m][n].x[i];
      }
      nvcuda::wmma::store_matrix_sync(&strip[0][n * TILE], part, STRIP,
                                      nvcuda::wmma::mem_row_major);
    }
    __syncwarp();
    store_strip(strip, y, row0 + row + m * TILE, col0 + col, y_vectors);
    __syncwarp();  // the next strip comes to the same place
  }
#endif
}

}  // namespace

void gated_linear_bf16(MatrixView<const __nv_bfloat16> x, MatrixView<const __nv_bfloat16> gate,
                       MatrixView<const __nv_bfloat16> up, MatrixView<__nv_bfloat16> y,
                       cudaStream_t stream) {
  require_same_shape(gate, "G", up, "U");
  require_matrix(x, "x");
  require_matrix(y, "y");
  require(x.cols == gate.cols && y.rows == x.rows && y.cols == gate.rows,
          {"x is ", shape_part(x), ", G is ", shape_part(gate), ", y is ", shape_part(y),
           "; expected (M, K), (N, K) and (M, N)"});
  require_tf32_and_bfloat16("gated_linear_bf16");

  const dim3 grid(ceil_div(y.cols, BN), ceil_div(y.rows, BM));
  gated_linear_bf16_kernel<<<grid, THREADS, 0, stream>>>(x, gate, up, y);
  check_launch();
}
//> void gated_linear_bf16(MatrixView<const __nv_bfloat16> x, MatrixView<const __nv_bfloat16> gate,
//>                        MatrixView<const __nv_bfloat16> up, MatrixView<__nv_bfloat16> y,
//>                        cudaStream_t stream) {
//>   // TODO: All of it. The contract, with the target, is in gated_linear_bf16.hpp.
//> }
//! [blank-gated_linear_bf16]

}  // namespace tut::ch12
