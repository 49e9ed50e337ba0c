#include "08_reductions/transpose_vectorized.hpp"

#include "05_shared_memory_tiling/transpose_tiled.hpp"
#include "08_reductions/row_part.cuh"
#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch08 {
namespace {

constexpr int THREADS = 256, SIDE = 4;                // a thread turns SIDE x SIDE elements
constexpr int LANES_X = 8, LANES_Y = WARP / LANES_X;  // of a warp, along and down the matrix
constexpr int COLS = LANES_X * SIDE, ROWS = THREADS / LANES_X * SIDE;  // of a block

__global__ void __launch_bounds__(THREADS)
    transpose_vectorized_kernel(MatrixView<const float> in, MatrixView<float> out, int blocks_x) {
  static_assert(COLS * sizeof(float) == 128 && LANES_Y * SIDE * sizeof(float) % 32 == 0,
                "a warp reads whole lines and writes whole sectors");
  const int row = blockIdx.x / blocks_x * ROWS + threadIdx.x / LANES_X * SIDE;
  const int col = blockIdx.x % blocks_x * COLS + threadIdx.x % LANES_X * SIDE;
  if (row >= in.rows || col >= in.cols) return;

  //! [turn]
  float rows[SIDE][SIDE], columns[SIDE][SIDE];  // 32 registers
#pragma unroll
  for (int i = 0; i < SIDE; ++i) load_group(&in(row + i, col), rows[i]);
#pragma unroll
  for (int j = 0; j < SIDE; ++j) {
#pragma unroll
    for (int i = 0; i < SIDE; ++i) columns[j][i] = rows[i][j];  // no instruction, only names
    store_group(&out(col + j, row), columns[j]);
  }
  //! [turn]
}

}  // namespace

void transpose_vectorized(MatrixView<const float> in, MatrixView<float> out, cudaStream_t stream) {
  require_transposed_shape(in, "in", out, "out");
  if (!has_rows_of_float4(in) || !has_rows_of_float4(out)) {
    return ch05::transpose_tiled(in, out, stream);
  }
  const int blocks_x = ceil_div(in.cols, COLS);
  const unsigned blocks =
      static_cast<unsigned>(blocks_x) * static_cast<unsigned>(ceil_div(in.rows, ROWS));
  transpose_vectorized_kernel<<<blocks, THREADS, 0, stream>>>(in, out, blocks_x);
  check_launch();
}

}  // namespace tut::ch08
