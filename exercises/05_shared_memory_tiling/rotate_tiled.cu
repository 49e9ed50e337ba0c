#include "05_shared_memory_tiling/rotate_tiled.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch05 {
namespace {

template <int TILE, int BLOCK_ROWS>
__global__ void rotate_tiled_kernel(MatrixView<const float> in, MatrixView<float> out) {
  static_assert(TILE % BLOCK_ROWS == 0, "the threads of a block cover the tile in whole steps");
  __shared__ float tile[TILE][TILE + 1];  // (row of in, column of in); column TILE is padding

  const int tx = threadIdx.x;
  const int row0 = blockIdx.y * TILE;  // of in
  const int col0 = blockIdx.x * TILE;  // of in

  for (int ty = threadIdx.y; ty < TILE; ty += BLOCK_ROWS) {
    // TODO: Read row ty of the tile from in, unless it lies outside: consecutive tx read
    // consecutive columns of in.
  }
  __syncthreads();

  for (int ty = threadIdx.y; ty < TILE; ty += BLOCK_ROWS) {
    // TODO: Write a part of row col0 + ty of out, unless it lies outside. This thread writes the
    // element that comes from row row0 + tx of in: which column of out is that?
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
