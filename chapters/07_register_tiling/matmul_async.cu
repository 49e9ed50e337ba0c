#include "07_register_tiling/matmul_async.hpp"

#include "07_register_tiling/access.hpp"
#include "07_register_tiling/layout.hpp"
#include "07_register_tiling/thread_tile.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch07 {
namespace {

constexpr int BM = 128, BN = 128, BK = 8;  // the block's tile of C, and its step of k
constexpr int WM = 32, WN = 64;            // the warp's tile
constexpr int TM = 8, TN = 8;              // the thread's
constexpr int LANES_M = WM / TM, LANES_N = WN / TN;
constexpr int WARPS_N = BN / WN, THREADS = BM / WM * WARPS_N * 32;
constexpr int A_COPIES = BM * BK / THREADS, B_COPIES = BK * BN / 4 / THREADS;
constexpr int PAD = 4;

//! [stage]
/// The tiles of one step of k.
struct Stage {
  alignas(16) float a[BK][BM + PAD];  // (k, row)
  alignas(16) float b[BK][BN];        // (k, col)
};
//! [stage]

//! [copy]
/// Starts the copies of the tiles at the beginning of a and b. For A a warp takes 8 neighbours from
/// each of 4 rows: whole sectors, and 32 different banks.
template <bool TILES_FIT_EXACTLY>
__device__ void copy(MatrixView<const float> a, MatrixView<const float> b, bool b_vectors,
                     Stage& stage) {
  const int thread = threadIdx.x;
#pragma unroll(TILES_FIT_EXACTLY ? A_COPIES : 1)
  for (int step = 0; step < A_COPIES; ++step) {
    const int i = step * THREADS + thread;
    const int k = i / (8 * BM) * 8 + i % 8, row = i / 8 % BM;
    copy1<TILES_FIT_EXACTLY>(&stage.a[k][row], a, row, k);
  }
#pragma unroll(TILES_FIT_EXACTLY ? B_COPIES : 1)
  for (int step = 0; step < B_COPIES; ++step) {
    const int i = step * THREADS + thread;
    const int k = i / (BN / 4), col = i % (BN / 4) * 4;
    copy4<TILES_FIT_EXACTLY>(&stage.b[k][col], b, k, col, b_vectors);
  }
}
//! [copy]

//! [kernel]
template <bool TILES_FIT_EXACTLY>
__global__ void __launch_bounds__(THREADS, 2)
    matmul_async_kernel(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  __shared__ Stage stages[2];

  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
  const int warp = threadIdx.x / 32;
  const Place lane = lane_place<LANES_N>(threadIdx.x % 32);
  const int row = warp / WARPS_N * WM + lane.row * 4;  // the thread's first row of the block's tile
  const int col = warp % WARPS_N * WN + lane.col * 4;
  const bool b_vectors = is_float4_accessible(b);
  auto a_rest = submatrix_from(a, row0, 0),
       b_rest = submatrix_from(b, 0, col0);  // what is still to be copied

  float sums[TM][TN] = {};
  copy<TILES_FIT_EXACTLY>(a_rest, b_rest, b_vectors, stages[0]);
  __pipeline_commit();
  for (int now = 0; a_rest.cols > 0; now ^= 1) {
    advance_k<BK>(a_rest, b_rest);
    __pipeline_wait_prior(0);  // what this thread copied has arrived
    __syncthreads();           // everybody's has, and nobody reads the other stage any more
    if (a_rest.cols > 0) copy<TILES_FIT_EXACTLY>(a_rest, b_rest, b_vectors, stages[now ^ 1]);
    __pipeline_commit();
    const Stage& stage = stages[now];
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_part[TM], b_part[TN];
      read_fours<LANES_M>(&stage.a[k][row], a_part);
      read_fours<LANES_N>(&stage.b[k][col], b_part);
      add_outer_product(a_part, b_part, sums);
    }
  }

  store_sums<LANES_M, LANES_N, TILES_FIT_EXACTLY>(submatrix_from(c, row0, col0), row, col, sums);
}
//! [kernel]

}  // namespace

void matmul_async(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                  cudaStream_t stream) {
  require_matmul_shapes(a, b, c);

  const auto kernel = tiles_fit_exactly(a, b, c, BM, BN, BK) ? matmul_async_kernel<true>
                                                             : matmul_async_kernel<false>;
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  kernel<<<grid, THREADS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch07
