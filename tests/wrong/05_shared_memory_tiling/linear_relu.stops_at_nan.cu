// fails: values
// A thread has four rows, and leaves at the first NaN that it writes: those below are not written.
#include "05_shared_memory_tiling/linear_relu.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch05 {
namespace {

template <int TILE, int BLOCK_ROWS>
__global__ void linear_relu_kernel(MatrixView<const float> x, MatrixView<const float> w,
                                   const float* bias, MatrixView<float> y) {
  static_assert(TILE % BLOCK_ROWS == 0, "the threads of a block cover the tile in whole steps");
  constexpr int ROWS = TILE / BLOCK_ROWS;   // of a thread, BLOCK_ROWS apart
  __shared__ float x_tile[TILE][TILE];      // (row of x, k)
  __shared__ float w_tile[TILE][TILE + 1];  // (row of w, k), padded: read down its columns

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row0 = blockIdx.y * TILE;      // of x and of y
  const int col = blockIdx.x * TILE + tx;  // of y
  const int w_row0 = blockIdx.x * TILE;

  float sums[ROWS] = {};
  for (int k0 = 0; k0 < x.cols; k0 += TILE) {
    const bool in_k = k0 + tx < x.cols;
    for (int r = ty; r < TILE; r += BLOCK_ROWS) {
      x_tile[r][tx] = row0 + r < x.rows && in_k ? x(row0 + r, k0 + tx) : 0.0f;
      w_tile[r][tx] = w_row0 + r < w.rows && in_k ? w(w_row0 + r, k0 + tx) : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      for (int i = 0; i < ROWS; ++i) sums[i] += x_tile[ty + i * BLOCK_ROWS][k] * w_tile[tx][k];
    }
    __syncthreads();
  }

  for (int i = 0; i < ROWS; ++i) {
    const int row = row0 + ty + i * BLOCK_ROWS;
    if (row >= y.rows || col >= y.cols) return;
    const float value = sums[i] + bias[col];
    y(row, col) = value < 0.0f ? 0.0f : value;
    if (isnan(value)) return;
  }
}

void require_linear_shapes(MatrixView<const float> x, MatrixView<const float> w,
                           MatrixView<float> y) {
  const MatrixView<const float> w_transposed{w.data, w.cols, w.rows, w.rows};  // shape only
  require_matmul_shapes(x, w_transposed, y);
}

}  // namespace

void linear_relu(MatrixView<const float> x, MatrixView<const float> w, const float* bias,
                 MatrixView<float> y, cudaStream_t stream) {
  constexpr int TILE = 32;
  constexpr int BLOCK_ROWS = 8;
  require_linear_shapes(x, w, y);

  const dim3 block(TILE, BLOCK_ROWS);
  const dim3 grid(ceil_div(y.cols, TILE), ceil_div(y.rows, TILE));
  linear_relu_kernel<TILE, BLOCK_ROWS><<<grid, block, 0, stream>>>(x, w, bias, y);
  check_launch();
}

}  // namespace tut::ch05
