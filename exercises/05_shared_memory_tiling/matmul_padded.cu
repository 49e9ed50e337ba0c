#include "05_shared_memory_tiling/matmul_padded.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch05 {
namespace {

template <int TILE>
__global__ void matmul_padded_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                     MatrixView<float> c) {
  static_assert(TILE % 32 == 0, "a warp reads one row of a tile: whole 128-byte lines");
  // TODO: Declare a_tile, transposed: its first index is k, its second the row of A. Pad it so that
  // the 32 words of one of its columns lie in 32 different banks. Declare b_tile as in
  // matmul_tiled.

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty;
  const int col = blockIdx.x * TILE + tx;

  float sum = 0.0f;
  for (int k0 = 0; k0 < a.cols; k0 += TILE) {
    // TODO: Stage one element of each tile, 0 outside the matrix. The threads of a warp
    // (consecutive tx) must still read consecutive elements of A: transpose on the way into shared
    // memory.

    // TODO: Add the product of row ty of A's tile and column tx of B's tile to sum. Which barrier
    // does the next round of the loop need?
  }

  if (row < c.rows && col < c.cols) c(row, col) = sum;
}

}  // namespace

void matmul_padded(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                   cudaStream_t stream) {
  constexpr int TILE = 32;
  require_matmul_shapes(a, b, c);

  const dim3 block(TILE, TILE);
  const dim3 grid(ceil_div(c.cols, TILE), ceil_div(c.rows, TILE));
  matmul_padded_kernel<TILE><<<grid, block, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch05
