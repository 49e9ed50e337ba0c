// Its plain test passes, and yet it has a bug.
#include "06_finding_kernel_bugs/delta_rows.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

template <int BLOCK>
__global__ void delta_rows_kernel(MatrixView<float> m) {
  __shared__ float old[BLOCK + 1];  // the element before the block's, then the block's

  const int tx = threadIdx.x;
  const int row = blockIdx.x;

  float before = 0.0f;  // in thread 0: the last element of the round before
  for (int col = tx; col < m.cols; col += BLOCK) {
    old[tx + 1] = m(row, col);
    if (tx == 0) old[0] = before;
    __syncthreads();

    m(row, col) = old[tx + 1] - old[tx];
    if (tx == 0 && col + BLOCK < m.cols) before = old[BLOCK];
    __syncthreads();
  }
}

}  // namespace

void delta_rows(MatrixView<float> m, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require_matrix(m, "m");
  delta_rows_kernel<BLOCK><<<m.rows, BLOCK, 0, stream>>>(m);
  check_launch();
}

}  // namespace tut::ch06
