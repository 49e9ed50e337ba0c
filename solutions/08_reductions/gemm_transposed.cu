#include "08_reductions/gemm_transposed.hpp"

#include "07_register_tiling/access.hpp"
#include "07_register_tiling/layout.hpp"
#include "07_register_tiling/thread_tile.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch08 {

//! [blank-gemm_transposed]
namespace {

constexpr int BM = 128, BN = 128, BK = 16;  // the block's tile of C, and its step of k
constexpr int WM = 32, WN = 64;             // the warp's tile
constexpr int TM = 8, TN = 8;               // the thread's: it reads 16 words for 64 products
constexpr int LANES_M = WM / TM, LANES_N = WN / TN;
constexpr int WARPS_N = BN / WN, THREADS = BM / WM * WARPS_N * 32;
constexpr int A_COPIES = BK * BM / 4 / THREADS, B_COPIES = BK * BN / THREADS;
constexpr int PAD = 4;  // words; rows still begin at multiples of 16 bytes
static_assert(LANES_M * LANES_N == 32, "a warp");

/// The tiles of one step of k. A lies in memory as it is wanted here, B is transposed on its way.
struct Stage {
  alignas(16) float a[BK][BM];        // (k, row)
  alignas(16) float b[BK][BN + PAD];  // (k, col)
};

/// Starts the copies of the tiles at the beginning of a and b. Of A neighbouring threads take
/// neighbouring fours of a row. Of B a warp takes 8 neighbours from each of 4 rows, word by word:
/// whole sectors, and 32 different banks, since the rows of the tile are padded.
template <bool TILES_FIT_EXACTLY>
__device__ void copy(MatrixView<const float> a, MatrixView<const float> b, bool a_vectors,
                     Stage& stage) {
  const int thread = threadIdx.x;
#pragma unroll(TILES_FIT_EXACTLY ? A_COPIES : 1)
  for (int step = 0; step < A_COPIES; ++step) {
    const int i = step * THREADS + thread;
    const int k = i / (BM / 4), row = i % (BM / 4) * 4;
    ch07::copy4<TILES_FIT_EXACTLY>(&stage.a[k][row], a, k, row, a_vectors);
  }
#pragma unroll(TILES_FIT_EXACTLY ? B_COPIES : 1)
  for (int step = 0; step < B_COPIES; ++step) {
    const int i = step * THREADS + thread;
    const int k = i / (8 * BN) * 8 + i % 8, col = i / 8 % BN;
    ch07::copy1<TILES_FIT_EXACTLY>(&stage.b[k][col], b, col, k);
  }
}

/// Writes four neighbours: alpha times the sums, and beta times what was there. With beta = 0 that
/// is not even read.
template <bool TILES_FIT_EXACTLY>
__device__ void store_scaled(MatrixView<float> c, int row, int col, float alpha, const float* sums,
                             float beta, bool c_vectors) {
  float4 values = make_float4(alpha * sums[0], alpha * sums[1], alpha * sums[2], alpha * sums[3]);
  if (beta != 0.0f) {
    const MatrixView<const float> before{c.data, c.rows, c.cols, c.stride};
    const float4 old = ch07::load4<TILES_FIT_EXACTLY>(before, row, col, c_vectors);
    values.x += beta * old.x;
    values.y += beta * old.y;
    values.z += beta * old.z;
    values.w += beta * old.w;
  }
  ch07::store4<TILES_FIT_EXACTLY>(c, row, col, values, c_vectors);
}

template <bool TILES_FIT_EXACTLY>
__global__ void __launch_bounds__(THREADS, 2)
    gemm_transposed_kernel(float alpha, MatrixView<const float> a, MatrixView<const float> b,
                           float beta, MatrixView<float> c) {
  __shared__ Stage stages[2];

  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
  const int warp = threadIdx.x / 32;
  const ch07::Place lane = ch07::lane_place<LANES_N>(threadIdx.x % 32);
  const int row = warp / WARPS_N * WM + lane.row * 4;  // the thread's first row of the block's tile
  const int col = warp % WARPS_N * WN + lane.col * 4;
  const bool a_vectors = ch07::is_float4_accessible(a), c_vectors = ch07::is_float4_accessible(c);
  auto a_rest = ch07::submatrix_from(a, 0, row0),
       b_rest = ch07::submatrix_from(b, col0, 0);  // what is still to be copied

  float sums[TM][TN] = {};
  copy<TILES_FIT_EXACTLY>(a_rest, b_rest, a_vectors, stages[0]);
  __pipeline_commit();
  for (int now = 0; a_rest.rows > 0; now ^= 1) {
    ch07::advance_k<BK>(b_rest, a_rest);  // k goes along the rows of B, and down those of A
    __pipeline_wait_prior(0);             // what this thread copied has arrived
    __syncthreads();                      // everybody's has, and nobody reads the other stage
    if (a_rest.rows > 0) copy<TILES_FIT_EXACTLY>(a_rest, b_rest, a_vectors, stages[now ^ 1]);
    __pipeline_commit();
    const Stage& stage = stages[now];
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_part[TM], b_part[TN];
      ch07::read_fours<LANES_M>(&stage.a[k][row], a_part);
      ch07::read_fours<LANES_N>(&stage.b[k][col], b_part);
      ch07::add_outer_product(a_part, b_part, sums);
    }
  }

  const MatrixView<float> c_tile = ch07::submatrix_from(c, row0, col0);
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; j += 4) {
      store_scaled<TILES_FIT_EXACTLY>(c_tile, row + i / 4 * 4 * LANES_M + i % 4, col + j * LANES_N,
                                      alpha, &sums[i][j], beta, c_vectors);
    }
  }
}

}  // namespace

void gemm_transposed(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                     MatrixView<float> c, cudaStream_t stream) {
  require_matrix(a, "A");
  require_matrix(b, "B");
  require_matrix(c, "C");
  require(a.rows == b.cols && c.rows == a.cols && c.cols == b.rows,
          {"A is ", shape_part(a), ", B is ", shape_part(b), ", C is ", shape_part(c),
           "; expected (K, M), (N, K) and (M, N)"});

  // tiles_fit_exactly looks for k along the rows of its first factor: here that is B.
  const auto kernel = ch07::tiles_fit_exactly(b, a, c, BM, BN, BK) ? gemm_transposed_kernel<true>
                                                                   : gemm_transposed_kernel<false>;
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  kernel<<<grid, THREADS, 0, stream>>>(alpha, a, b, beta, c);
  check_launch();
}
//> void gemm_transposed(float alpha, MatrixView<const float> a, MatrixView<const float> b,
//>                      float beta, MatrixView<float> c, cudaStream_t stream) {
//>   // TODO: All of it. The contract, with the target, is in gemm_transposed.hpp of the chapter.
//> }
//! [blank-gemm_transposed]

}  // namespace tut::ch08
