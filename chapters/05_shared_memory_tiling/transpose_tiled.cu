#include "05_shared_memory_tiling/transpose_tiled.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch05 {
namespace {

//! [kernel]
template <int TILE, int BLOCK_ROWS>
__global__ void transpose_tiled_kernel(MatrixView<const float> in, MatrixView<float> out) {
  static_assert(TILE % BLOCK_ROWS == 0, "the threads of a block cover the tile in whole steps");
  //! [tile]
  __shared__ float tile[TILE][TILE + 1];  // (row of in, column of in); column TILE is padding
  //! [tile]

  const int tx = threadIdx.x;
  const int row0 = blockIdx.y * TILE;
  const int col0 = blockIdx.x * TILE;

  //! [read]
  // Read rows of the matrix, write rows of the tile.
  for (int ty = threadIdx.y; ty < TILE; ty += BLOCK_ROWS) {
    const int row = row0 + ty;
    const int col = col0 + tx;
    if (row < in.rows && col < in.cols) tile[ty][tx] = in(row, col);
  }
  //! [read]
  __syncthreads();

  //! [write]
  // Read columns of the tile, write rows of the transposed matrix.
  for (int ty = threadIdx.y; ty < TILE; ty += BLOCK_ROWS) {
    const int row = col0 + ty;
    const int col = row0 + tx;
    if (row < out.rows && col < out.cols) out(row, col) = tile[tx][ty];
  }
  //! [write]
}
//! [kernel]

}  // namespace

void transpose_tiled(MatrixView<const float> in, MatrixView<float> out, cudaStream_t stream) {
  constexpr int TILE = 32;
  constexpr int BLOCK_ROWS = 8;
  require_transposed_shape(in, "in", out, "out");

  const dim3 block(TILE, BLOCK_ROWS);
  const dim3 grid(ceil_div(in.cols, TILE), ceil_div(in.rows, TILE));
  transpose_tiled_kernel<TILE, BLOCK_ROWS><<<grid, block, 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch05
