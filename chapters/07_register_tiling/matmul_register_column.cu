#include "07_register_tiling/matmul_register_column.hpp"

#include "07_register_tiling/access.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch07 {
namespace {

//! [kernel]
template <int BM, int BN, int BK, int TM>
__global__ void __launch_bounds__(BM / TM * BN)
    matmul_register_column_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                  MatrixView<float> c) {
  constexpr int THREADS = BM / TM * BN;
  static_assert(BM * BK == THREADS && BK * BN == THREADS, "one element of each tile a thread");
  static_assert(BN % 32 == 0, "the lanes of a warp stand side by side");
  __shared__ float a_tile[BM][BK];  // (row, k)
  __shared__ float b_tile[BK][BN];  // (k, col)

  const int thread = threadIdx.x;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
  const int tx = thread % BN, ty = thread / BN;

  float sums[TM] = {};  // rows ty * TM to ty * TM + TM - 1 of column tx
  for (int k0 = 0; k0 < a.cols; k0 += BK) {
    const int a_row = thread / BK, a_k = thread % BK;
    a_tile[a_row][a_k] = element(a, row0 + a_row, k0 + a_k);
    b_tile[ty][tx] = element(b, k0 + ty, col0 + tx);
    __syncthreads();

#pragma unroll
    for (int k = 0; k < BK; ++k) {
      const float b_value = b_tile[k][tx];  // read once, used TM times
#pragma unroll
      for (int i = 0; i < TM; ++i) sums[i] += a_tile[ty * TM + i][k] * b_value;
    }
    __syncthreads();
  }

  for (int i = 0; i < TM; ++i) {
    const int row = row0 + ty * TM + i, col = col0 + tx;
    if (row < c.rows && col < c.cols) c(row, col) = sums[i];
  }
}
//! [kernel]

}  // namespace

void matmul_register_column(MatrixView<const float> a, MatrixView<const float> b,
                            MatrixView<float> c, cudaStream_t stream) {
  constexpr int BM = 64, BN = 64, BK = 8, TM = 8;
  require_matmul_shapes(a, b, c);

  //! [launch]
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_register_column_kernel<BM, BN, BK, TM><<<grid, BM / TM * BN, 0, stream>>>(a, b, c);
  //! [launch]
  check_launch();
}

}  // namespace tut::ch07
