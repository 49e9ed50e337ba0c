// Two warps with 64 x 32 elements each.
#include "10_mma_pipelines/matmul_swizzled_rows.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/swizzled_tile.cuh"
#include "tut/device/compute_capability.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch10 {
namespace {

constexpr int BM = 64, BN = 64, BK = 32;  // the block's tile of C, and its step of k
constexpr int WM = 64, WN = 32;           // the warp's tile of C
constexpr int WARPS_ACROSS = BN / WN, WARPS = BM / WM * WARPS_ACROSS, THREADS = 32 * WARPS;
constexpr int CHUNKS = BK / CHUNK;  // of a row of A's tile: four, 64 bytes

// Where element (row, k) of A's tile lies in it.
__device__ int place_in_a(int row, int k) {
  int chunk = k / CHUNK;
  chunk ^= row / 2 % CHUNKS;
  return row * BK + chunk * CHUNK + k % CHUNK;
}

// Starts to copy the 64 x 32 of A at (row0, k0).
__device__ void copy_a(MatrixView<const __half> a, int row0, int k0, bool vectors, __half* tile) {
  for (int i = static_cast<int>(threadIdx.x); i < BM * CHUNKS; i += THREADS) {
    const int row = i / CHUNKS, k = i % CHUNKS * CHUNK;
    copy_chunk(a, row0 + row, k0 + k, vectors, &tile[place_in_a(row, k)]);
  }
}

// The fragment of A of 16 rows from `row` and 16 k's from k on.
__device__ void load_part_of_a(const __half* tile, int row, int k, unsigned (&part)[4]) {
  const int lane = lane_of_thread();
  ptx::ldmatrix_x4(part, &tile[place_in_a(row + lane % 16, k + lane / 16 * CHUNK)]);
}

__global__ void __launch_bounds__(THREADS)
    matmul_swizzled_rows_kernel(MatrixView<const __half> a, MatrixView<const __half> b,
                                MatrixView<float> c) {
  if constexpr (has_mma<__half>) {
    __shared__ alignas(128) __half a_tile[BM * BK], b_tile[BK * BN];
    const int warp = threadIdx.x / 32;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
    const int row = warp / WARPS_ACROSS * WM, col = warp % WARPS_ACROSS * WN;  // in it
    const bool a_vectors = ch09::is_float4_accessible(a), b_vectors = ch09::is_float4_accessible(b);

    float sums[WM / MMA_M][WN / MMA_N][4] = {};
    for (int k0 = 0; k0 < a.cols; k0 += BK) {
      copy_a(a, row0, k0, a_vectors, a_tile);
      copy_tile<THREADS, BK, BN>(b, k0, col0, b_vectors, b_tile);
      ptx::cp_async_wait_all();
      __syncthreads();
      for (int k = 0; k < BK; k += MMA_K) {
        unsigned a_parts[WM / MMA_M][4], b_parts[WN / 16][2][2];
        for (int i = 0; i < WM / MMA_M; ++i) {
          load_part_of_a(a_tile, row + i * MMA_M, k, a_parts[i]);
        }
        for (int j = 0; j < WN / 16; ++j) load_b<BN>(b_parts[j], b_tile, k, col + j * 16);
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

void matmul_swizzled_rows(MatrixView<const __half> a, MatrixView<const __half> b,
                          MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require_compute_capability(MMA_CAPABILITY, "matmul_swizzled_rows", compute_capability());

  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_swizzled_rows_kernel<<<grid, THREADS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch10
