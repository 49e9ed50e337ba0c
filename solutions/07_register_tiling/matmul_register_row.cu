#include "07_register_tiling/matmul_register_row.hpp"

#include "07_register_tiling/access.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch07 {
namespace {

template <int BM, int BN, int BK, int TN>
__global__ void __launch_bounds__(BM*(BN / TN))
    matmul_register_row_kernel(MatrixView<const float> a, MatrixView<const float> b,
                               MatrixView<float> c) {
  constexpr int THREADS_N = BN / TN, THREADS = BM * THREADS_N;
  static_assert(BM * BK == THREADS && BK * BN == THREADS, "one element of each tile a thread");
  __shared__ float a_tile[BM][BK];  // (row, k)
  __shared__ float b_tile[BK][BN];  // (k, col)

  const int thread = threadIdx.x;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;    // of the block's tile of C
  const int tx = thread % THREADS_N, ty = thread / THREADS_N;  // 8 x 64 threads

  float sums[TN] = {};  // of row ty: which columns?
  for (int k0 = 0; k0 < a.cols; k0 += BK) {
    const int a_row = thread / BK, a_k = thread % BK;
    const int b_k = thread / BN, b_col = thread % BN;
    a_tile[a_row][a_k] = element(a, row0 + a_row, k0 + a_k);
    b_tile[b_k][b_col] = element(b, k0 + b_k, col0 + b_col);
    __syncthreads();

    //! [hole-multiply]
    // For each k: read one word of A, and multiply it by the words of B in this thread's TN
    // columns. A warp is 8 neighbours in tx and 4 in ty. Choose columns such that the 8 read
    // neighbouring words at the same time. Which barrier does the next round of the loop need?
    for (int k = 0; k < BK; ++k) {
      const float a_value = a_tile[ty][k];
      for (int j = 0; j < TN; ++j) sums[j] += a_value * b_tile[k][tx + j * THREADS_N];
    }
    __syncthreads();
    //! [hole-multiply]
  }

  //! [hole-write]
  // Write the TN sums to their columns of row ty of the block's tile, those that lie inside C.
  for (int j = 0; j < TN; ++j) {
    const int row = row0 + ty, col = col0 + tx + j * THREADS_N;
    if (row < c.rows && col < c.cols) c(row, col) = sums[j];
  }
  //! [hole-write]
}

}  // namespace

void matmul_register_row(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  constexpr int BM = 64, BN = 64, BK = 8, TN = 8;
  require_matmul_shapes(a, b, c);

  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_register_row_kernel<BM, BN, BK, TN><<<grid, BM*(BN / TN), 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch07
