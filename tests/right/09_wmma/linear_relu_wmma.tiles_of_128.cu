// Tiles of 128 x 128 by eight warps of 32 x 64, each of which finishes one fragment after the
// other.
#include "09_wmma/linear_relu_wmma.hpp"

#include "09_wmma/fragments.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

constexpr int BM = 128, BN = 128, BK = 32, WM = 32, WN = 64;
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
  __shared__ alignas(32) float own[WARPS][TILE][STAGE_STRIDE];
  const int warp = threadIdx.x / 32, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
  Accumulator sums[WM / TILE][WN / TILE];
  for (auto& line : sums) {
    for (auto& sum : line) wmma::fill_fragment(sum, 0.0f);
  }
  for (int k = 0; k < x.cols; k += BK) {
    stage<BM>(x, row0, k, left);
    stage<BN>(w, col0, k, right);
    __syncthreads();
    multiply(&left[row], &right[col], sums);
    __syncthreads();
  }
  const int lane = threadIdx.x % 32;
  for (int j = 0; j < WN / TILE; ++j) {
    const int c = col0 + col + j * TILE + lane % TILE;
    const float added = c < y.cols ? bias[c] : 0.0f;
    for (int i = 0; i < WM / TILE; ++i) {
      wmma::store_matrix_sync(&own[warp][0][0], sums[i][j], STAGE_STRIDE, wmma::mem_row_major);
      __syncwarp();
      for (int step = 0; step < TILE / 2; ++step) {
        const int r = step / 2 * 4 + step % 2 + lane / TILE * 2;  // rows that share no bank
        const int at = row0 + row + i * TILE + r;
        const float value = own[warp][r][lane % TILE] + added;
        if (at < y.rows && c < y.cols) y(at, c) = __float2half(value < 0.0f ? 0.0f : value);
      }
      __syncwarp();
    }
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
