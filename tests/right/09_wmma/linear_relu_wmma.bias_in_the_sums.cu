// The sums begin as the bias, which a tile of 16 equal rows brings into the fragments.
#include "09_wmma/linear_relu_wmma.hpp"

#include "09_wmma/fragments.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

constexpr int BM = 64, BN = 64, BK = 32, WM = 16, WN = 64;
constexpr int WARPS = BM / WM * (BN / WN), THREADS = 32 * WARPS;
using ColumnsOfB = wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, __half, wmma::col_major>;

template <int ROWS>
__device__ void stage(MatrixView<const __half> m, int row0, int col0, __half (*tile)[BK + 8]) {
  for (int i = threadIdx.x; i < ROWS * BK; i += THREADS) {
    const int r = i / BK, c = i % BK;
    const bool inside = row0 + r < m.rows && col0 + c < m.cols;
    tile[r][c] = inside ? m(row0 + r, col0 + c) : __half(0.0f);
  }
}

__device__ void multiply(const __half (*left)[BK + 8], const __half (*right)[BK + 8],
                         Accumulator (&sums)[WM / TILE][WN / TILE]) {
  for (int k = 0; k < BK; k += TILE) {
    for (int j = 0; j < WN / TILE; ++j) {
      ColumnsOfB part;
      wmma::load_matrix_sync(part, &right[j * TILE][k], BK + 8);
      for (int i = 0; i < WM / TILE; ++i) {
        FragmentA<__half> other;
        wmma::load_matrix_sync(other, &left[i * TILE][k], BK + 8);
        wmma::mma_sync(sums[i][j], other, part, sums[i][j]);
      }
    }
  }
}

__global__ void __launch_bounds__(THREADS)
    kernel(MatrixView<const __half> x, MatrixView<const __half> w, const float* bias,
           MatrixView<__half> y) {
  __shared__ alignas(32) __half left[BM][BK + 8], right[BN][BK + 8];
  __shared__ alignas(32) float rows[WARPS][TILE][BN + 8];
  const int warp = threadIdx.x / 32, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
  Accumulator sums[WM / TILE][WN / TILE];
  for (int i = threadIdx.x; i < BN; i += THREADS) {
    const float added = col0 + i < y.cols ? bias[col0 + i] : 0.0f;
    for (int r = 0; r < TILE; ++r) rows[0][r][i] = added;
  }
  __syncthreads();
  for (int j = 0; j < WN / TILE; ++j) {
    wmma::load_matrix_sync(sums[0][j], &rows[0][0][col + j * TILE], BN + 8, wmma::mem_row_major);
  }
  __syncthreads();
  for (int k = 0; k < x.cols; k += BK) {
    stage<BM>(x, row0, k, left);
    stage<BN>(w, col0, k, right);
    __syncthreads();
    multiply(&left[row], &right[col], sums);
    __syncthreads();
  }
  for (int j = 0; j < WN / TILE; ++j) {
    for (float& value : sums[0][j].x) value = value < 0.0f ? 0.0f : value;
    wmma::store_matrix_sync(&rows[warp][0][j * TILE], sums[0][j], BN + 8, wmma::mem_row_major);
  }
  __syncwarp();
  for (int i = threadIdx.x % 32; i < TILE * WN; i += 32) {
    const int r = row0 + row + i / WN, c = col0 + i % WN;
    if (r < y.rows && c < y.cols) y(r, c) = __float2half(rows[warp][i / WN][i % WN]);
  }
}

}  // namespace

void linear_relu_wmma(MatrixView<const __half> x, MatrixView<const __half> w, const float* bias,
                      MatrixView<__half> y, cudaStream_t stream) {
  require_matmul_shapes(x, MatrixView<const __half>{w.data, w.cols, w.rows, w.rows}, y);
  require_matrix(w, "W");
  kernel<<<dim3(ceil_div(y.cols, BN), ceil_div(y.rows, BM)), THREADS, 0, stream>>>(x, w, bias, y);
  check_launch();
}

}  // namespace tut::ch09
