// fails: budget
// says: loads touch 32 sectors
// No tile and no conflict: a thread walks along a row, and its neighbours along others.
#include "06_finding_kernel_bugs/row_sums.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch06 {
namespace {

template <int TILE, int BLOCK_ROWS>
__global__ void row_sums_kernel(MatrixView<const float> in, float* sums) {
  static_assert(TILE % BLOCK_ROWS == 0, "the threads of a block cover the tile in whole steps");

  const int tx = threadIdx.x;
  const int row0 = blockIdx.x * TILE;

  float sum = 0.0f;  // of row row0 + tx, in the threads with threadIdx.y == 0
  for (int col0 = 0; col0 < in.cols; col0 += TILE) {
    if (threadIdx.y == 0) {
      for (int k = 0; k < TILE; ++k) {
        sum += row0 + tx < in.rows && col0 + k < in.cols ? in(row0 + tx, col0 + k) : 0.0f;
      }
    }
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
