// The two halves of 16 k's change places, in A and in B, and a step goes from its last k's to its
// first.
#include "10_mma_pipelines/matmul_mma_transposed_b.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/mma.cuh"
#include "tut/device/compute_capability.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch10 {
namespace {

using ch09::PAD;

constexpr int BM = 64, BN = 64, BK = 64;  // the block's tile of C, and its step of k
constexpr int WM = 32, WN = 32;           // the warp's tile of C
constexpr int WARPS_ACROSS = BN / WN, WARPS = BM / WM * WARPS_ACROSS, THREADS = 32 * WARPS;

using Tile = __half[BM][BK + PAD];  // (row of A or of B, k)

// Two neighbours of a row in one register, the first in its lower half.
__device__ unsigned pair(const __half* from) { return *reinterpret_cast<const unsigned*>(from); }

// The fragment of A of 16 rows from `row` and 16 k's from k on.
__device__ void load_a(const Tile& tile, int row, int k, unsigned (&part)[4]) {
  const int g = lane_of_thread() / 4, t = lane_of_thread() % 4;
  for (int i = 0; i < 4; ++i)
    part[i] = pair(&tile[row + g + i % 2 * 8][k + 2 * t + (1 - i / 2) * 8]);
}

// The fragment of Bᵀ of 16 k's from k on and 8 columns from `col`, which are rows of B's tile.
__device__ void load_b(const Tile& tile, int col, int k, unsigned (&part)[2]) {
  const int g = lane_of_thread() / 4, t = lane_of_thread() % 4;
  for (int i = 0; i < 2; ++i) part[i] = pair(&tile[col + g][k + 2 * t + (1 - i) * 8]);
}

__global__ void __launch_bounds__(THREADS)
    matmul_mma_transposed_b_kernel(MatrixView<const __half> a, MatrixView<const __half> b,
                                   MatrixView<float> c) {
  if constexpr (has_mma<__half>) {
    __shared__ alignas(16) Tile a_tile, b_tile;
    const int warp = threadIdx.x / 32;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
    const int row = warp / WARPS_ACROSS * WM, col = warp % WARPS_ACROSS * WN;  // in it
    const bool a_vectors = ch09::is_float4_accessible(a), b_vectors = ch09::is_float4_accessible(b);

    float sums[WM / MMA_M][WN / MMA_N][4] = {};
    for (int k0 = 0; k0 < a.cols; k0 += BK) {
      ch09::stage_tile<THREADS, BK>(a, row0, k0, a_vectors, a_tile);
      ch09::stage_tile<THREADS, BK>(b, col0, k0, b_vectors, b_tile);
      __syncthreads();
      for (int k = BK - MMA_K; k >= 0; k -= MMA_K) {
        unsigned a_parts[WM / MMA_M][4], b_parts[WN / MMA_N][2];
        for (int i = 0; i < WM / MMA_M; ++i) load_a(a_tile, row + i * MMA_M, k, a_parts[i]);
        for (int j = 0; j < WN / MMA_N; ++j) load_b(b_tile, col + j * MMA_N, k, b_parts[j]);
        for (int i = 0; i < WM / MMA_M; ++i) {
          for (int j = 0; j < WN / MMA_N; ++j) {
            multiply_add<__half>(sums[i][j], a_parts[i], b_parts[j]);
          }
        }
      }
      __syncthreads();
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

void matmul_mma_transposed_b(MatrixView<const __half> a, MatrixView<const __half> b,
                             MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, MatrixView<const __half>{b.data, b.cols, b.rows, b.rows}, c);
  require_matrix(b, "B");
  require_compute_capability(MMA_CAPABILITY, "matmul_mma_transposed_b", compute_capability());

  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_mma_transposed_b_kernel<<<grid, THREADS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch10
