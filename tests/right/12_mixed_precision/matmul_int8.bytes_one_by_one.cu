// The tiles are staged byte by byte, by eight warps of 32 x 16.
#include "12_mixed_precision/matmul_int8.hpp"

#include <mma.h>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int BM = 64, BN = 64, BK = 32, WM = 32, WN = 16;
constexpr int MORE = 128 / BK;  // rows, so that the slices of a row lie in different banks
constexpr int WARPS = BM / WM * (BN / WN), THREADS = 32 * WARPS;
using Rows = wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major>;
using Columns = wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 16, int>;

template <int ROWS>
__device__ void stage(MatrixView<const signed char> m, int row0, int col0,
                      signed char (*tile)[ROWS + MORE][16]) {
  for (int i = threadIdx.x; i < ROWS * BK; i += THREADS) {
    const int r = i / BK, k = i % BK;
    const bool inside = row0 + r < m.rows && col0 + k < m.cols;
    tile[k / 16][r][k % 16] = inside ? m(row0 + r, col0 + k) : static_cast<signed char>(0);
  }
}

__device__ void multiply(const signed char (*left)[BM + MORE][16],
                         const signed char (*right)[BN + MORE][16], int row, int col,
                         Sum (&sums)[WM / 16][WN / 16]) {
  for (int k = 0; k < BK; k += 16) {
    Rows rows[WM / 16];
    for (int i = 0; i < WM / 16; ++i) {
      wmma::load_matrix_sync(rows[i], &left[k / 16][row + 16 * i][0], 16);
    }
    for (int j = 0; j < WN / 16; ++j) {
      Columns columns;
      wmma::load_matrix_sync(columns, &right[k / 16][col + 16 * j][0], 16);
      for (int i = 0; i < WM / 16; ++i) wmma::mma_sync(sums[i][j], rows[i], columns, sums[i][j]);
    }
  }
}

__global__ void __launch_bounds__(THREADS)
    kernel(MatrixView<const signed char> a, MatrixView<const signed char> b, float scale,
           MatrixView<float> c) {
  __shared__ alignas(32) signed char left[1][BK / 16][BM + MORE][16],
      right[1][BK / 16][BN + MORE][16];
  __shared__ alignas(32) int out[WARPS][16][24];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
  Sum sums[WM / 16][WN / 16];
  for (auto& line : sums) {
    for (Sum& sum : line) wmma::fill_fragment(sum, 0);
  }
  for (int k = 0; k < a.cols; k += BK) {
    stage<BM>(a, row0, k, left[0]);
    stage<BN>(b, col0, k, right[0]);
    __syncthreads();
    multiply(left[0], right[0], row, col, sums);
    __syncthreads();
  }
  for (int i = 0; i < WM / 16; ++i) {
    for (int j = 0; j < WN / 16; ++j) {
      __syncwarp();
      wmma::store_matrix_sync(&out[warp][0][0], sums[i][j], 24, wmma::mem_row_major);
      __syncwarp();
      for (int e = lane; e < 256; e += 32) {
        const int y = e / 64 * 4 + e / 8 % 4, x = e / 32 % 2 * 8 + e % 8;
        const int r = row0 + row + 16 * i + y, s = col0 + col + 16 * j + x;
        if (r < c.rows && s < c.cols) c(r, s) = __int2float_rn(out[warp][y][x]) * scale;
      }
    }
  }
}

}  // namespace

void matmul_int8(MatrixView<const signed char> a, MatrixView<const signed char> b, float scale,
                 MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, MatrixView<const signed char>{b.data, b.cols, b.rows, b.rows}, c);
  require_matrix(b, "B");
  require(a.cols <= MOST_INT8_PRODUCTS, "K is too large");
  kernel<<<dim3(ceil_div(c.cols, BN), ceil_div(c.rows, BM)), THREADS, 0, stream>>>(a, b, scale, c);
  check_launch();
}

}  // namespace tut::ch12
