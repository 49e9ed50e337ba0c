#include "07_register_tiling/matmul_register_tile.hpp"

#include "07_register_tiling/access.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch07 {
namespace {

template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(BM / TM * (BN / TN), 2)
    matmul_register_tile_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                MatrixView<float> c) {
  constexpr int THREADS_M = BM / TM, THREADS_N = BN / TN, THREADS = THREADS_M * THREADS_N;
  static_assert(BM * BK % THREADS == 0 && BK * BN % THREADS == 0, "equally many for each thread");
  __shared__ float a_tile[BM][BK];  // (row, k)
  __shared__ float b_tile[BK][BN];  // (k, col)

  const int thread = threadIdx.x;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
  const int tx = thread % THREADS_N, ty = thread / THREADS_N;

  float sums[TM][TN] = {};  // rows ty, ty + THREADS_M, ...; columns tx, tx + THREADS_N, ...
  for (int k0 = 0; k0 < a.cols; k0 += BK) {
#pragma unroll 2
    for (int step = 0; step < BM * BK / THREADS; ++step) {
      const int i = step * THREADS + thread;
      a_tile[i / BK][i % BK] = element(a, row0 + i / BK, k0 + i % BK);
    }
#pragma unroll 2
    for (int step = 0; step < BK * BN / THREADS; ++step) {
      const int i = step * THREADS + thread;
      b_tile[i / BN][i % BN] = element(b, k0 + i / BN, col0 + i % BN);
    }
    __syncthreads();

    //! [multiply]
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a_part[TM], b_part[TN];  // TM + TN words read, TM * TN multiply-adds
#pragma unroll
      for (int i = 0; i < TM; ++i) a_part[i] = a_tile[ty + i * THREADS_M][k];
#pragma unroll
      for (int j = 0; j < TN; ++j) b_part[j] = b_tile[k][tx + j * THREADS_N];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] += a_part[i] * b_part[j];
      }
    }
    //! [multiply]
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const int row = row0 + ty + i * THREADS_M, col = col0 + tx + j * THREADS_N;
      if (row < c.rows && col < c.cols) c(row, col) = sums[i][j];
    }
  }
}

}  // namespace

void matmul_register_tile(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                          cudaStream_t stream) {
  constexpr int BM = 128, BN = 128, BK = 8, TM = 8, TN = 8;
  constexpr int THREADS = BM / TM * (BN / TN);
  require_matmul_shapes(a, b, c);

  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_register_tile_kernel<BM, BN, BK, TM, TN><<<grid, THREADS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch07
