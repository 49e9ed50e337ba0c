#include "05_shared_memory_tiling/linear_relu.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch05 {
namespace {

template <int TILE>
__global__ void linear_relu_kernel(MatrixView<const float> x, MatrixView<const float> w,
                                   const float* bias, MatrixView<float> y) {
  static_assert(TILE % 32 == 0, "a warp reads one row of a tile: whole 128-byte lines");
  __shared__ float x_tile[TILE][TILE];      // (row of x, k)
  __shared__ float w_tile[TILE][TILE + 1];  // (row of w, k), padded: read down its columns

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty;  // of x and of y
  const int col = blockIdx.x * TILE + tx;  // of y

  float sum = 0.0f;
  for (int k0 = 0; k0 < x.cols; k0 += TILE) {
    x_tile[ty][tx] = row < x.rows && k0 + tx < x.cols ? x(row, k0 + tx) : 0.0f;
    //! [hole-stage]
    // Stage W's tile as it lies in memory, (row of w, k), 0 outside: consecutive tx,
    // consecutive k. Which row of w is row ty of this tile? It is not `col`, which belongs to tx.
    const int w_row = blockIdx.x * TILE + ty;
    w_tile[ty][tx] = w_row < w.rows && k0 + tx < w.cols ? w(w_row, k0 + tx) : 0.0f;
    //! [hole-stage]
    __syncthreads();

    //! [hole-multiply]
    // Add the product of row ty of x_tile and row tx of w_tile to sum.
    for (int k = 0; k < TILE; ++k) sum += x_tile[ty][k] * w_tile[tx][k];
    //! [hole-multiply]
    __syncthreads();
  }

  //! [hole-epilogue]
  // Add the bias of this column, replace what is below 0 by 0 (a NaN is not below 0), write
  // y.
  if (row < y.rows && col < y.cols) {
    const float value = sum + bias[col];
    y(row, col) = value < 0.0f ? 0.0f : value;
  }
  //! [hole-epilogue]
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
  require_linear_shapes(x, w, y);

  const dim3 block(TILE, TILE);
  const dim3 grid(ceil_div(y.cols, TILE), ceil_div(y.rows, TILE));
  linear_relu_kernel<TILE><<<grid, block, 0, stream>>>(x, w, bias, y);
  check_launch();
}

}  // namespace tut::ch05
