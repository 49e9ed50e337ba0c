// fails: values
// Indices of 32 bits, which hold what lies within a tile, are used in matrices of whole tiles.
#include "05_shared_memory_tiling/rotate_tiled.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch05 {
namespace {

/// Offsets of 32 bits in matrices of whole tiles, where nothing has to be compared either.
template <bool WHOLE, class T>
__device__ T& at(const MatrixView<T>& m, int row, int col) {
  if (WHOLE) return m.data[static_cast<unsigned>(row) * static_cast<unsigned>(m.stride) + col];
  return m(row, col);
}

template <int TILE, int BLOCK_ROWS, bool WHOLE>
__global__ void rotate_tiled_kernel(MatrixView<const float> in, MatrixView<float> out) {
  static_assert(TILE % BLOCK_ROWS == 0, "the threads of a block cover the tile in whole steps");
  __shared__ float tile[TILE][TILE + 1];  // (row of in, column of in); column TILE is padding

  const int tx = threadIdx.x;
  const int row0 = blockIdx.y * TILE;  // of in
  const int col0 = blockIdx.x * TILE;  // of in

  for (int ty = threadIdx.y; ty < TILE; ty += BLOCK_ROWS) {
    // Read row ty of the tile from in, unless it lies outside: neighbours in tx, neighbours
    // in in.
    const int row = row0 + ty;
    const int col = col0 + tx;
    if (WHOLE || (row < in.rows && col < in.cols)) tile[ty][tx] = at<WHOLE>(in, row, col);
  }
  __syncthreads();

  for (int ty = threadIdx.y; ty < TILE; ty += BLOCK_ROWS) {
    // Write a part of row col0 + ty of out, unless it lies outside. The tile's rows row0,
    // row0 + 1, ... of in become columns of out, the last first: start from which row of in this
    // thread writes.
    const int row = row0 + tx;
    const int col = col0 + ty;
    if (WHOLE || (row < in.rows && col < in.cols))
      at<WHOLE>(out, col, in.rows - 1 - row) = tile[tx][ty];
  }
}

}  // namespace

void rotate_tiled(MatrixView<const float> in, MatrixView<float> out, cudaStream_t stream) {
  constexpr int TILE = 32;
  constexpr int BLOCK_ROWS = 8;
  require_transposed_shape(in, "in", out, "out");

  const dim3 block(TILE, BLOCK_ROWS);
  const dim3 grid(ceil_div(in.cols, TILE), ceil_div(in.rows, TILE));
  const bool whole = in.rows % TILE == 0 && in.cols % TILE == 0;
  const auto kernel = whole ? rotate_tiled_kernel<TILE, BLOCK_ROWS, true>
                            : rotate_tiled_kernel<TILE, BLOCK_ROWS, false>;
  kernel<<<grid, block, 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch05
