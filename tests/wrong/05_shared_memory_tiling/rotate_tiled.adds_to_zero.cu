// fails: values
// says: has another sign
// Elements are added to 0 on their way, and 0 plus -0 is 0.
#include "05_shared_memory_tiling/rotate_tiled.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch05 {
namespace {

template <int TILE, int BLOCK_ROWS>
__global__ void rotate_tiled_kernel(MatrixView<const float> in, MatrixView<float> out) {
  static_assert(TILE % BLOCK_ROWS == 0, "the threads of a block cover the tile in whole steps");
  __shared__ float tile[TILE][TILE + 1];  // (row of in, column of in); column TILE is padding

  const int tx = threadIdx.x;
  const int row0 = blockIdx.y * TILE;  // of in
  const int col0 = blockIdx.x * TILE;  // of in

  float values[TILE / BLOCK_ROWS] = {};  // all reads under way before the first is stored
#pragma unroll
  for (int i = 0; i < TILE / BLOCK_ROWS; ++i) {
    const int row = row0 + static_cast<int>(threadIdx.y) + i * BLOCK_ROWS;
    const int col = col0 + tx;
    if (row < in.rows && col < in.cols) values[i] += in(row, col);
  }
#pragma unroll
  for (int i = 0; i < TILE / BLOCK_ROWS; ++i) tile[threadIdx.y + i * BLOCK_ROWS][tx] = values[i];
  __syncthreads();

  for (int ty = threadIdx.y; ty < TILE; ty += BLOCK_ROWS) {
    const int row = col0 + ty;                    // of out
    const int from = TILE - 1 - tx;               // row of the tile: the last first
    const int col = in.rows - 1 - (row0 + from);  // of out
    if (row < out.rows && col >= 0) out(row, col) = tile[from][ty];
  }
}

}  // namespace

void rotate_tiled(MatrixView<const float> in, MatrixView<float> out, cudaStream_t stream) {
  constexpr int TILE = 32;
  constexpr int BLOCK_ROWS = 8;
  require_transposed_shape(in, "in", out, "out");

  const dim3 block(TILE, BLOCK_ROWS);
  const dim3 grid(ceil_div(in.cols, TILE), ceil_div(in.rows, TILE));
  rotate_tiled_kernel<TILE, BLOCK_ROWS><<<grid, block, 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch05
