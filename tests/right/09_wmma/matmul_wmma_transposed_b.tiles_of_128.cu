// Tiles of 128 x 128 by four warps of 64 x 64.
#include "09_wmma/matmul_wmma_transposed_b.hpp"

#include "09_wmma/fragments.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

constexpr int BM = 128, BN = 128, BK = 32, WM = 64, WN = 64;
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
    kernel(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c) {
  __shared__ alignas(32) __half left[BM][BK + 8], right[BN][BK + 8];
  __shared__ alignas(32) float out[WARPS][TILE][STAGE_STRIDE];
  const int warp = threadIdx.x / 32, row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
  Accumulator sums[WM / TILE][WN / TILE];
  for (auto& line : sums) {
    for (auto& sum : line) wmma::fill_fragment(sum, 0.0f);
  }
  for (int k = 0; k < a.cols; k += BK) {
    stage<BM>(a, row0, k, left);
    stage<BN>(b, col0, k, right);
    __syncthreads();
    multiply(&left[row], &right[col], sums);
    __syncthreads();
  }
  for (int i = 0; i < WM / TILE; ++i) {
    for (int j = 0; j < WN / TILE; ++j) {
      store_tile(c, row0 + row + i * TILE, col0 + col + j * TILE, sums[i][j], takes_fragments(c),
                 out[warp]);
    }
  }
}

}  // namespace

void matmul_wmma_transposed_b(MatrixView<const __half> a, MatrixView<const __half> b,
                              MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, MatrixView<const __half>{b.data, b.cols, b.rows, b.rows}, c);
  require_matrix(b, "B");
  kernel<<<dim3(ceil_div(c.cols, BN), ceil_div(c.rows, BM)), THREADS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch09
