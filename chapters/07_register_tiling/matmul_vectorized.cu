#include "07_register_tiling/matmul_vectorized.hpp"

#include "07_register_tiling/access.hpp"
#include "07_register_tiling/thread_tile.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch07 {
namespace {

constexpr int PAD = 4;  // words; rows still begin at multiples of 16 bytes

template <int BM, int BN, int BK, int TM, int TN, bool TILES_FIT_EXACTLY>
__global__ void __launch_bounds__(BM / TM * (BN / TN), 2)
    matmul_vectorized_kernel(MatrixView<const float> a, MatrixView<const float> b,
                             MatrixView<float> c) {
  constexpr int THREADS_M = BM / TM, THREADS_N = BN / TN, THREADS = THREADS_M * THREADS_N;
  constexpr int A_STEPS = BM * BK / 4 / THREADS, B_STEPS = BK * BN / 4 / THREADS;
  static_assert(BK % 8 == 0 && TM % 4 == 0 && TN % 4 == 0, "everything comes in fours");
  __shared__ alignas(16) float a_tile[BK][BM + PAD];  // (k, row)
  __shared__ alignas(16) float b_tile[BK][BN];        // (k, col)

  const int thread = threadIdx.x;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
  const int tx = thread % THREADS_N, ty = thread / THREADS_N;
  const bool a_vectors = is_float4_accessible(a), b_vectors = is_float4_accessible(b);

  float sums[TM][TN] = {};
  for (int k0 = 0; k0 < a.cols; k0 += BK) {
    const auto a_rest = submatrix_from(a, row0, k0), b_rest = submatrix_from(b, k0, col0);
    //! [stage]
    // Two lanes read 8 neighbours in a row of A, and write them into 8 rows of the tile.
#pragma unroll
    for (int step = 0; step < A_STEPS; ++step) {
      const int i = step * THREADS + thread;
      const int row = i / 2 % BM, k = i / (2 * BM) * 8 + i % 2 * 4;
      const float4 values = load4<TILES_FIT_EXACTLY>(a_rest, row, k, a_vectors);
      a_tile[k][row] = values.x;
      a_tile[k + 1][row] = values.y;
      a_tile[k + 2][row] = values.z;
      a_tile[k + 3][row] = values.w;
    }
    //! [stage]
    //! [stage_b]
#pragma unroll
    for (int step = 0; step < B_STEPS; ++step) {
      const int i = step * THREADS + thread;
      const int k = i / (BN / 4), col = i % (BN / 4) * 4;
      const float4 values = load4<TILES_FIT_EXACTLY>(b_rest, k, col, b_vectors);
      *reinterpret_cast<float4*>(&b_tile[k][col]) = values;
    }
    //! [stage_b]
    __syncthreads();

    //! [multiply]
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_part[TM], b_part[TN];
      read_fours<THREADS_M>(&a_tile[k][ty * 4], a_part);
      read_fours<THREADS_N>(&b_tile[k][tx * 4], b_part);
      add_outer_product(a_part, b_part, sums);
    }
    //! [multiply]
    __syncthreads();
  }

  store_sums<THREADS_M, THREADS_N, TILES_FIT_EXACTLY>(submatrix_from(c, row0, col0), ty * 4, tx * 4,
                                                      sums);
}

}  // namespace

void matmul_vectorized(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                       cudaStream_t stream) {
  constexpr int BM = 128, BN = 128, BK = 16, TM = 8, TN = 8;
  constexpr int THREADS = BM / TM * (BN / TN);
  require_matmul_shapes(a, b, c);

  const auto kernel = tiles_fit_exactly(a, b, c, BM, BN, BK)
                          ? matmul_vectorized_kernel<BM, BN, BK, TM, TN, true>
                          : matmul_vectorized_kernel<BM, BN, BK, TM, TN, false>;
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  kernel<<<grid, THREADS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch07
