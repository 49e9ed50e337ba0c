// Its answers are right. It is slower than it needs to be, though somebody has padded the tile.
#include "06_finding_kernel_bugs/row_sums.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch06 {
namespace {

template <int TILE, int BLOCK_ROWS>
__global__ void row_sums_kernel(MatrixView<const float> in, float* sums) {
  static_assert(TILE % BLOCK_ROWS == 0, "the threads of a block cover the tile in whole steps");
  __shared__ float tile[TILE + 1][TILE];  // (row, column), padded

  const int tx = threadIdx.x;
  const int row0 = blockIdx.x * TILE;

  float sum = 0.0f;  // of row row0 + tx, in the threads with threadIdx.y == 0
  for (int col0 = 0; col0 < in.cols; col0 += TILE) {
    const int col = col0 + tx;
    for (int ty = threadIdx.y; ty < TILE; ty += BLOCK_ROWS) {
      const int row = row0 + ty;
      tile[ty][tx] = row < in.rows && col < in.cols ? in(row, col) : 0.0f;
    }
    __syncthreads();

    if (threadIdx.y == 0) {
      for (int k = 0; k < TILE; ++k) sum += tile[tx][k];
    }
    __syncthreads();
  }
  if (threadIdx.y == 0 && row0 + tx < in.rows) sums[row0 + tx] = sum;
}

}  // namespace

void row_sums(MatrixView<const float> in, float* sums, cudaStream_t stream) {
  constexpr int TILE = 32;
  constexpr int BLOCK_ROWS = 8;
  require_matrix(in, "in");

  const dim3 block(TILE, BLOCK_ROWS);
  row_sums_kernel<TILE, BLOCK_ROWS><<<ceil_div(in.rows, TILE), block, 0, stream>>>(in, sums);
  check_launch();
}

}  // namespace tut::ch06
