#include "07_register_tiling/matmul_warp_tiled.hpp"

#include "07_register_tiling/access.hpp"
#include "07_register_tiling/layout.hpp"
#include "07_register_tiling/thread_tile.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch07 {
namespace {

constexpr int BM = 128, BN = 128, BK = 16;  // the block's tile of C, and its step of k
constexpr int WM = 32, WN = 64;             // the warp's tile
constexpr int TM = 8, TN = 8;               // the thread's
constexpr int LANES_M = WM / TM, LANES_N = WN / TN;
constexpr int WARPS_N = BN / WN, THREADS = BM / WM * WARPS_N * 32;
constexpr int A_STEPS = BM * BK / 4 / THREADS, B_STEPS = BK * BN / 4 / THREADS;
constexpr int PAD = 4;
static_assert(LANES_M * LANES_N == 32, "a warp");

template <bool TILES_FIT_EXACTLY>
__global__ void __launch_bounds__(THREADS, 2)
    matmul_warp_tiled_kernel(MatrixView<const float> a, MatrixView<const float> b,
                             MatrixView<float> c) {
  __shared__ alignas(16) float a_tile[BK][BM + PAD];  // (k, row)
  __shared__ alignas(16) float b_tile[BK][BN];        // (k, col)

  const int thread = threadIdx.x;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
  //! [place]
  const int warp = thread / 32;
  const Place lane = lane_place<LANES_N>(thread % 32);
  const int row = warp / WARPS_N * WM + lane.row * 4;  // the thread's first row of the block's tile
  const int col = warp % WARPS_N * WN + lane.col * 4;
  //! [place]
  const bool a_vectors = is_float4_accessible(a), b_vectors = is_float4_accessible(b);

  float sums[TM][TN] = {};
  for (int k0 = 0; k0 < a.cols; k0 += BK) {
    const auto a_rest = submatrix_from(a, row0, k0), b_rest = submatrix_from(b, k0, col0);
#pragma unroll
    for (int step = 0; step < A_STEPS; ++step) {
      const int i = step * THREADS + thread;
      const int r = i / 2 % BM, k = i / (2 * BM) * 8 + i % 2 * 4;
      const float4 values = load4<TILES_FIT_EXACTLY>(a_rest, r, k, a_vectors);
      a_tile[k][r] = values.x;
      a_tile[k + 1][r] = values.y;
      a_tile[k + 2][r] = values.z;
      a_tile[k + 3][r] = values.w;
    }
#pragma unroll
    for (int step = 0; step < B_STEPS; ++step) {
      const int i = step * THREADS + thread;
      const int k = i / (BN / 4), cc = i % (BN / 4) * 4;
      const float4 values = load4<TILES_FIT_EXACTLY>(b_rest, k, cc, b_vectors);
      *reinterpret_cast<float4*>(&b_tile[k][cc]) = values;
    }
    __syncthreads();

    //! [multiply]
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_part[TM], b_part[TN];
      read_fours<LANES_M>(&a_tile[k][row], a_part);
      read_fours<LANES_N>(&b_tile[k][col], b_part);
      add_outer_product(a_part, b_part, sums);
    }
    //! [multiply]
    __syncthreads();
  }

  store_sums<LANES_M, LANES_N, TILES_FIT_EXACTLY>(submatrix_from(c, row0, col0), row, col, sums);
}

}  // namespace

void matmul_warp_tiled(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                       cudaStream_t stream) {
  require_matmul_shapes(a, b, c);

  const auto kernel = tiles_fit_exactly(a, b, c, BM, BN, BK) ? matmul_warp_tiled_kernel<true>
                                                             : matmul_warp_tiled_kernel<false>;
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  kernel<<<grid, THREADS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch07
