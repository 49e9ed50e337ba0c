// Loads the matrices in the order that serves a fragment of A, and exchanges two registers.
#include "10_mma_pipelines/matmul_ldmatrix_transposed_a.hpp"

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

constexpr int BM = 64, BN = 64, BK = 64;  // the block's tile of C, and its step of k
constexpr int WM = 32, WN = 32;           // the warp's tile of C
constexpr int WARPS_ACROSS = BN / WN, WARPS = BM / WM * WARPS_ACROSS, THREADS = 32 * WARPS;

using Tile = __half[BK][BM + PAD];  // (k, row of C) of A as it lies, (k, column of C) of B

// The fragment of Aᵀ of 16 rows from `row` and 16 k's from k on.
__device__ void load_a(const Tile& tile, int row, int k, unsigned (&part)[4]) {
  const int lane = lane_of_thread();
  const int matrix = lane / 8;
  unsigned four[4];
  ptx::ldmatrix_x4_trans(four, &tile[k + matrix % 2 * 8 + lane % 8][row + matrix / 2 * 8]);
  part[0] = four[0];
  part[1] = four[2];
  part[2] = four[1];
  part[3] = four[3];
}

// The fragments of B of 16 k's from k on and two times 8 columns from `col`.
__device__ void load_b(const Tile& tile, int k, int col, unsigned (&parts)[2][2]) {
  const int lane = lane_of_thread();
  unsigned four[4] = {};
  ptx::ldmatrix_x4_trans(four, &tile[k + lane % 16][col + lane / 16 * 8]);
  parts[0][0] = four[0], parts[0][1] = four[1];
  parts[1][0] = four[2], parts[1][1] = four[3];
}

__global__ void __launch_bounds__(THREADS)
    matmul_ldmatrix_transposed_a_kernel(MatrixView<const __half> a, MatrixView<const __half> b,
                                        MatrixView<float> c) {
  if constexpr (has_mma<__half>) {
    __shared__ alignas(16) Tile a_tile, b_tile;
    const int warp = threadIdx.x / 32;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
    const int row = warp / WARPS_ACROSS * WM, col = warp % WARPS_ACROSS * WN;  // in it
    const bool a_vectors = ch09::is_float4_accessible(a), b_vectors = ch09::is_float4_accessible(b);

    float sums[WM / MMA_M][WN / MMA_N][4] = {};
    for (int k0 = 0; k0 < a.rows; k0 += BK) {
      ch09::stage_tile<THREADS, BM>(a, k0, row0, a_vectors, a_tile);
      ch09::stage_tile<THREADS, BN>(b, k0, col0, b_vectors, b_tile);
      __syncthreads();
      for (int k = 0; k < BK; k += MMA_K) {
        unsigned a_parts[WM / MMA_M][4], b_parts[WN / 16][2][2] = {};
        for (int i = 0; i < WM / MMA_M; ++i) load_a(a_tile, row + i * MMA_M, k, a_parts[i]);
        for (int j = 0; j < WN / 16; ++j) load_b(b_tile, k, col + j * 16, b_parts[j]);
        for (int i = 0; i < WM / MMA_M; ++i) {
          for (int j = 0; j < WN / MMA_N; ++j) {
            multiply_add<__half>(sums[i][j], a_parts[i], b_parts[j / 2][j % 2]);
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

void matmul_ldmatrix_transposed_a(MatrixView<const __half> a, MatrixView<const __half> b,
                                  MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(MatrixView<const __half>{a.data, a.cols, a.rows, a.rows}, b, c);
  require_matrix(a, "A");
  require_compute_capability(MMA_CAPABILITY, "matmul_ldmatrix_transposed_a", compute_capability());

  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_ldmatrix_transposed_a_kernel<<<grid, THREADS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch10
