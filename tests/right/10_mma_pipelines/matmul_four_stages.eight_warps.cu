// Eight warps with 16 x 32 elements each.
#include "10_mma_pipelines/matmul_four_stages.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/swizzled_tile.cuh"
#include "tut/device/compute_capability.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch10 {
namespace {

using T = __nv_bfloat16;

constexpr int BM = 64, BN = 64, BK = 64;  // the block's tile of C, and its step of k
constexpr int WM = 16, WN = 32;           // the warp's tile of C
constexpr int WARPS_ACROSS = BN / WN, WARPS = BM / WM * WARPS_ACROSS, THREADS = 32 * WARPS;
constexpr int STAGES = 4;

// The swizzled tiles of one step of k.
struct Stage {
  T a[BM * BK];  // (row, k)
  T b[BK * BN];  // (k, col)
};

using Sums = float[WM / MMA_M][WN / MMA_N][4];

// Starts this thread's copies of the tiles at row0, col0 and k0.
__device__ void copy_tiles(MatrixView<const T> a, MatrixView<const T> b, int row0, int col0, int k0,
                           Stage& stage) {
  copy_tile<THREADS, BM, BK>(a, row0, k0, ch09::is_float4_accessible(a), stage.a);
  copy_tile<THREADS, BK, BN>(b, k0, col0, ch09::is_float4_accessible(b), stage.b);
}

// Adds the products of one stage to the warp's sums.
__device__ void multiply(const Stage& stage, int row, int col, Sums& sums) {
  for (int k = 0; k < BK; k += MMA_K) {
    unsigned a_parts[WM / MMA_M][4], b_parts[WN / 16][2][2];
    for (int i = 0; i < WM / MMA_M; ++i) load_a<BK>(a_parts[i], stage.a, row + i * MMA_M, k);
    for (int j = 0; j < WN / 16; ++j) load_b<BN>(b_parts[j], stage.b, k, col + j * 16);
    for (int i = 0; i < WM / MMA_M; ++i) {
      for (int j = 0; j < WN / MMA_N; ++j) {
        multiply_add<T>(sums[i][j], a_parts[i], b_parts[j / 2][j % 2]);
      }
    }
  }
}

__global__ void __launch_bounds__(THREADS)
    matmul_four_stages_kernel(MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c) {
  if constexpr (has_mma<T>) {
    extern __shared__ __align__(128) unsigned char memory[];
    auto* stages = reinterpret_cast<Stage*>(memory);
    const int warp = threadIdx.x / 32;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
    const int row = warp / WARPS_ACROSS * WM, col = warp % WARPS_ACROSS * WN;  // in it
    const int steps = (a.cols + BK - 1) / BK;

    Sums sums = {};
    for (int step = 0; step < STAGES - 1; ++step) {
      if (step < steps) copy_tiles(a, b, row0, col0, step * BK, stages[step]);
      ptx::cp_async_commit_group();
    }

    for (int step = 0; step < steps; ++step) {
      ptx::cp_async_wait_group<STAGES - 2>();
      __syncthreads();

      const int later = step + STAGES - 1;
      if (later < steps) copy_tiles(a, b, row0, col0, later * BK, stages[later % STAGES]);
      ptx::cp_async_commit_group();

      multiply(stages[step % STAGES], row, col, sums);
    }

    const bool pairs = takes_pairs(c);
    for (int i = 0; i < WM / MMA_M; ++i) {
      for (int j = 0; j < WN / MMA_N; ++j) {
        store_sum(c, row0 + row + i * MMA_M, col0 + col + j * MMA_N, pairs, sums[i][j]);
      }
    }
  }
}

}  // namespace

void matmul_four_stages(MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c,
                        cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require_compute_capability(MMA_CAPABILITY, "matmul_four_stages", compute_capability());

  constexpr int SHARED_BYTES = STAGES * sizeof(Stage);
  check(cudaFuncSetAttribute(matmul_four_stages_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             SHARED_BYTES));
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_four_stages_kernel<<<grid, THREADS, SHARED_BYTES, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch10
