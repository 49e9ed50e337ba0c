#include "09_wmma/linear_relu_wmma.hpp"

#include "09_wmma/fragments.hpp"
#include "09_wmma/staging.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

constexpr int BM = 64, BN = 64, BK = 32;  // the block's tile of y, and its step of k
constexpr int WN = 2 * TILE;              // columns of the warp's tile: one for each lane
constexpr int WARPS_ACROSS = BN / WN, WARPS = BM / TILE * WARPS_ACROSS, THREADS = 32 * WARPS;
// Storing a sum writes four rows of 8 floats at a time. The rows of the stage begin 8 banks apart,
// so these four lie in 32 different banks.
constexpr int Y_STRIDE = WN + 8;

using WeightPart = wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, __half, wmma::col_major>;

// Adds the product of 16 rows of x and 32 rows of w, BK deep, to the warp's two sums.
__device__ void multiply(const __half (*x_rows)[BK + PAD], const __half (*w_rows)[BK + PAD],
                         Accumulator (&sums)[2]) {
  for (int k = 0; k < BK; k += TILE) {
    FragmentA<__half> x_part;
    wmma::load_matrix_sync(x_part, &x_rows[0][k], BK + PAD);
    for (int j = 0; j < 2; ++j) {
      WeightPart w_part;
      wmma::load_matrix_sync(w_part, &w_rows[j * TILE][k], BK + PAD);
      wmma::mma_sync(sums[j], x_part, w_part, sums[j]);
    }
  }
}

__global__ void __launch_bounds__(THREADS)
    linear_relu_wmma_kernel(MatrixView<const __half> x, MatrixView<const __half> w,
                            const float* bias, MatrixView<__half> y) {
  __shared__ alignas(32) __half x_tile[BM][BK + PAD];           // (row of x, k)
  __shared__ alignas(32) __half w_tile[BN][BK + PAD];           // (row of w, k)
  __shared__ alignas(32) float y_stage[WARPS][TILE][Y_STRIDE];  // (warp, row, column) of y
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of y
  const int row = warp / WARPS_ACROSS * TILE, col = warp % WARPS_ACROSS * WN;  // in it
  const bool x_vectors = is_float4_accessible(x), w_vectors = is_float4_accessible(w);

  Accumulator sums[2];  // side by side: (16, 32) of y
  for (auto& sum : sums) wmma::fill_fragment(sum, 0.0f);
  for (int k0 = 0; k0 < x.cols; k0 += BK) {
    stage_tile<THREADS, BK>(x, row0, k0, x_vectors, x_tile);
    stage_tile<THREADS, BK>(w, col0, k0, w_vectors, w_tile);
    __syncthreads();
    multiply(&x_tile[row], &w_tile[col], sums);
    __syncthreads();
  }

  float(&stage)[TILE][Y_STRIDE] = y_stage[warp];
  //! [hole-store]
  // Store both sums to the warp's stage, side by side, row by row. Other lanes are about to read
  // what this lane writes: what does that take?
  for (int j = 0; j < 2; ++j) {
    wmma::store_matrix_sync(&stage[0][j * TILE], sums[j], Y_STRIDE, wmma::mem_row_major);
  }
  __syncwarp();
  //! [hole-store]

  //! [hole-finish]
  // Each lane finishes one column of the stage, down its 16 rows: add the bias of that column of
  // y, replace what is below 0 by 0 (a NaN is not below 0), round to half, write y. Columns and
  // rows outside of y are left out; the bias is read once.
  const int y_col = col0 + col + lane;
  if (y_col < y.cols) {
    const float column_bias = bias[y_col];
    for (int r = 0; r < TILE && row0 + row + r < y.rows; ++r) {
      const float value = stage[r][lane] + column_bias;
      y(row0 + row + r, y_col) = __float2half(value < 0.0f ? 0.0f : value);
    }
  }
  //! [hole-finish]
}

void require_linear_shapes(MatrixView<const __half> x, MatrixView<const __half> w,
                           MatrixView<__half> y) {
  const MatrixView<const __half> w_transposed{w.data, w.cols, w.rows, w.rows};  // shape only
  require_matmul_shapes(x, w_transposed, y);
  require_matrix(w, "W");
}

}  // namespace

void linear_relu_wmma(MatrixView<const __half> x, MatrixView<const __half> w, const float* bias,
                      MatrixView<__half> y, cudaStream_t stream) {
  require_linear_shapes(x, w, y);

  const dim3 grid(ceil_div(y.cols, BN), ceil_div(y.rows, BM));
  linear_relu_wmma_kernel<<<grid, THREADS, 0, stream>>>(x, w, bias, y);
  check_launch();
}

}  // namespace tut::ch09
