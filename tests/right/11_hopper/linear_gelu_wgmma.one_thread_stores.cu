// A thread of the block has TMA write the pieces of all four warps, behind a barrier.
#include "11_hopper/linear_gelu_wgmma.hpp"

#include <cstring>

#include "10_mma_pipelines/swizzle.hpp"
#include "11_hopper/sum_layout.hpp"
#include "11_hopper/tensor_map.hpp"
#include "11_hopper/warpgroup_tile.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/ptx/bulk_copy.cuh"
#include "tut/ptx/mbarrier.cuh"
#include "tut/ptx/stmatrix.cuh"
#include "tut/ptx/tensor_copy.cuh"

namespace tut::ch11 {
namespace {

constexpr int BM = 64, BN = 128;                 // the block's tile of y; its step of k is BK
constexpr int PIECE_ROWS = 16, PIECE_COLS = 64;  // of y, of a warp: rows of 128 bytes

__device__ float gelu(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }

// Two values, rounded to half, as stmatrix takes them: the left one in the lower bits.
__device__ unsigned pair_of(float left, float right) {
  const __half2 pair = __floats2half2_rn(left, right);
  unsigned bits;
  memcpy(&bits, &pair, sizeof(bits));
  return bits;
}

// Adds the bias of their columns to the sums of a thread, and applies gelu. `col0` is the column of
// y where the block's tile begins.
__device__ __forceinline__ void finish(const float* bias, int col0, int cols,
                                       float (&sums)[BN / 2]) {
#pragma unroll
  for (int i = 0; i < BN / 2; ++i) {
    const int col = col0 + col_of_sum(static_cast<int>(threadIdx.x), i);
    if (col < cols) sums[i] = gelu(sums[i] + bias[col]);
  }
}

// Writes the sums of columns 64 p to 64 p + 63 to the warp's piece, swizzled.
__device__ __forceinline__ void stage_piece(const float (&sums)[BN / 2], int p, __half* piece) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int j = 0; j < PIECE_COLS / 16; ++j) {  // 16 rows x 16 columns: four 8 x 8
    const int i = (p * 4 + j) * 8;             // the first of this thread's 8 sums of them
    unsigned pairs[4] = {};
    const int row = lane % 16, col = j * 16 + lane / 16 * 8;
    for (int m = 0; m < 4; ++m) pairs[m] = pair_of(sums[i + 2 * m], sums[i + 2 * m + 1]);
    ptx::stmatrix_x4(piece + ch10::swizzled<PIECE_COLS>(row, col), pairs);
  }
}

__global__ void __launch_bounds__(WARPGROUP)
    linear_gelu_wgmma_kernel(const __grid_constant__ CUtensorMap x,
                             const __grid_constant__ CUtensorMap w, const float* bias,
                             const __grid_constant__ CUtensorMap y, int cols, int steps) {
  if constexpr (has_wgmma<__half>) {
    __shared__ alignas(1024) __half x_tile[BM * BK];  // (row, k)
    __shared__ alignas(1024) __half w_tile[BN * BK];  // (col, k)
    __shared__ alignas(1024)
        __half pieces[BM / PIECE_ROWS][BN / PIECE_COLS][PIECE_ROWS * PIECE_COLS];
    __shared__ std::uint64_t full;
    const int row0 = static_cast<int>(blockIdx.y) * BM, col0 = static_cast<int>(blockIdx.x) * BN;
    if (threadIdx.x == 0) {
      ptx::mbarrier_init(&full, 1);
      ptx::mbarrier_init_fence();
    }
    __syncthreads();

    float sums[BN / 2] = {};
    for (int step = 0; step < steps; ++step) {
      if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(&full, sizeof(x_tile) + sizeof(w_tile));
        ptx::cp_async_bulk_tensor_2d_to_shared(x_tile, x, step * BK, row0, &full);
        ptx::cp_async_bulk_tensor_2d_to_shared(w_tile, w, step * BK, col0, &full);
      }
      ptx::mbarrier_wait(&full, step % 2);
      ptx::wgmma_fence();
      for (int k = 0; k < BK; k += WGMMA_K) {
        wgmma_m64n128k16_f16(sums, describe(x_tile + k), describe(w_tile + k));
      }
      ptx::wgmma_commit_group();
      ptx::wgmma_wait_group<0>();
      __syncthreads();
    }

    finish(bias, col0, cols, sums);
    const int warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
    for (int p = 0; p < BN / PIECE_COLS; ++p) {
      stage_piece(sums, p, pieces[warp][p]);
      ptx::fence_proxy_async();
      __syncthreads();
      if (threadIdx.x == 0) {
        for (int w = 0; w < BM / PIECE_ROWS; ++w) {
          ptx::cp_async_bulk_tensor_2d_to_global(y, col0 + p * PIECE_COLS, row0 + w * PIECE_ROWS,
                                                 pieces[w][p]);
        }
        ptx::cp_async_bulk_commit_group();
      }
    }
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group_read<0>();
  }
}

}  // namespace

void linear_gelu_wgmma(MatrixView<const __half> x, MatrixView<const __half> w, const float* bias,
                       MatrixView<__half> y, cudaStream_t stream) {
  require_transposed_matmul(x, w, y, "linear_gelu_wgmma");
  require_tensor(y, "y");
  const dim3 grid(ceil_div(y.cols, BN), ceil_div(y.rows, BM));
  linear_gelu_wgmma_kernel<<<grid, WARPGROUP, 0, stream>>>(
      make_tensor_map(x, BM, BK), make_tensor_map(w, BN, BK), bias,
      make_tensor_map(y, PIECE_ROWS, PIECE_COLS), y.cols, ceil_div(x.cols, BK));
  check_launch();
}

}  // namespace tut::ch11
