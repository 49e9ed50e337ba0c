#include "10_mma_pipelines/linear_silu_mma.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/mma.cuh"
#include "tut/device/compute_capability.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/ptx/ldmatrix.cuh"

namespace tut::ch10 {
namespace {

using ch09::PAD;

constexpr int BM = 64, BN = 64, BK = 64;  // the block's tile of y, and its step of k
constexpr int WM = 32, WN = 32;           // the warp's tile of y
constexpr int WARPS_ACROSS = BN / WN, WARPS = BM / WM * WARPS_ACROSS, THREADS = 32 * WARPS;

using Tile = __half[BM][BK + PAD];  // (row of x or of W, k)

// x / (1 + exp(-x))
__device__ float silu(float x) {
  float result = x;
  // TODO: In FP32, by __expf. What would x e^x / (1 + e^x) give for x = 1000? The result must be
  // 1000, and not NaN.
  return result;
}

// Finishes the sums of one product, 16 x 8 of y at (row, col), and writes what lies inside of y.
// `pairs`: whether two halves that begin in an even column can be stored at once.
__device__ void finish([[maybe_unused]] MatrixView<__half> y, [[maybe_unused]] int row,
                       [[maybe_unused]] int col, [[maybe_unused]] const float* bias,
                       [[maybe_unused]] bool pairs, [[maybe_unused]] const float (&sum)[4]) {
#pragma unroll
  for (int i = 0; i < 4; i += 2) {  // two neighbours of a row
    // TODO: sum_place(lane_of_thread(), i) is the place of element i in the 16 x 8. Add each column's own
    // bias in FP32, apply silu, round once. Write both at once where `pairs` allows it and both lie
    // inside; else one by one.
  }
}

__global__ void __launch_bounds__(THREADS)
    linear_silu_mma_kernel(MatrixView<const __half> x, MatrixView<const __half> w,
                           const float* bias, MatrixView<__half> y) {
  if constexpr (has_mma<__half>) {
    __shared__ alignas(16) Tile x_tile, w_tile;
    const int warp = threadIdx.x / 32, lane = lane_of_thread();
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of y
    const int row = warp / WARPS_ACROSS * WM, col = warp % WARPS_ACROSS * WN;  // in it
    const bool x_vectors = ch09::is_float4_accessible(x), w_vectors = ch09::is_float4_accessible(w);

    float sums[WM / MMA_M][WN / MMA_N][4] = {};
    for (int k0 = 0; k0 < x.cols; k0 += BK) {
      ch09::stage_tile<THREADS, BK>(x, row0, k0, x_vectors, x_tile);
      ch09::stage_tile<THREADS, BK>(w, col0, k0, w_vectors, w_tile);
      __syncthreads();
      for (int k = 0; k < BK; k += MMA_K) {
        unsigned x_parts[WM / MMA_M][4], w_parts[WN / 16][4] = {};
        for (int i = 0; i < WM / MMA_M; ++i) {
          ptx::ldmatrix_x4(x_parts[i], &x_tile[row + i * MMA_M + lane % 16][k + lane / 16 * 8]);
        }
        for (int j = 0; j < WN / 16; ++j) {
          // TODO: Load the fragments of 16 k's and two times 8 columns of y, which are rows of w_tile:
          // registers 0 and 1 for the first 8 columns, 2 and 3 for the next. A register has two
          // neighbours in k. Are they neighbours in the tile? Transposed or not?
        }
        for (int i = 0; i < WM / MMA_M; ++i) {
          for (int j = 0; j < WN / MMA_N; ++j) {
            const unsigned part[2] = {w_parts[j / 2][j % 2 * 2], w_parts[j / 2][j % 2 * 2 + 1]};
            multiply_add<__half>(sums[i][j], x_parts[i], part);
          }
        }
      }
      __syncthreads();
    }

    const bool pairs = reinterpret_cast<std::uintptr_t>(y.data) % 4 == 0 && y.stride % 2 == 0;
#pragma unroll
    for (int i = 0; i < WM / MMA_M; ++i) {
#pragma unroll
      for (int j = 0; j < WN / MMA_N; ++j) {
        finish(y, row0 + row + i * MMA_M, col0 + col + j * MMA_N, bias, pairs, sums[i][j]);
      }
    }
  }
}

}  // namespace

void linear_silu_mma(MatrixView<const __half> x, MatrixView<const __half> w, const float* bias,
                     MatrixView<__half> y, cudaStream_t stream) {
  require_matmul_shapes(x, MatrixView<const __half>{w.data, w.cols, w.rows, w.rows}, y);
  require_matrix(w, "W");
  require_compute_capability(MMA_CAPABILITY, "linear_silu_mma", compute_capability());

  const dim3 grid(ceil_div(y.cols, BN), ceil_div(y.rows, BM));
  linear_silu_mma_kernel<<<grid, THREADS, 0, stream>>>(x, w, bias, y);
  check_launch();
}

}  // namespace tut::ch10
