#include "05_shared_memory_tiling/matmul_tiled.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch05 {
namespace {

//! [kernel]
template <int TILE>
__global__ void matmul_tiled_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                    MatrixView<float> c) {
  static_assert(TILE % 32 == 0, "a warp reads one row of a tile: whole 128-byte lines");
  //! [tiles]
  __shared__ float a_tile[TILE][TILE];  // (row, k)
  __shared__ float b_tile[TILE][TILE];  // (k, col)
  //! [tiles]

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty;
  const int col = blockIdx.x * TILE + tx;

  float sum = 0.0f;
  for (int k0 = 0; k0 < a.cols; k0 += TILE) {
    //! [stage]
    // Stage one element of each tile; 0 outside the matrix adds nothing to a sum.
    a_tile[ty][tx] = row < a.rows && k0 + tx < a.cols ? a(row, k0 + tx) : 0.0f;
    b_tile[ty][tx] = k0 + ty < b.rows && col < b.cols ? b(k0 + ty, col) : 0.0f;
    __syncthreads();  // no thread reads a tile before every thread has written its part
    //! [stage]

    //! [multiply]
    for (int k = 0; k < TILE; ++k) sum += a_tile[ty][k] * b_tile[k][tx];
    __syncthreads();  // no thread overwrites a tile that another thread still reads
    //! [multiply]
  }

  //! [write]
  if (row < c.rows && col < c.cols) c(row, col) = sum;
  //! [write]
}
//! [kernel]

}  // namespace

void matmul_tiled(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                  cudaStream_t stream) {
  constexpr int TILE = 32;
  require_matmul_shapes(a, b, c);

  //! [launch]
  const dim3 block(TILE, TILE);
  const dim3 grid(ceil_div(c.cols, TILE), ceil_div(c.rows, TILE));
  matmul_tiled_kernel<TILE><<<grid, block, 0, stream>>>(a, b, c);
  //! [launch]
  check_launch();
}

}  // namespace tut::ch05
