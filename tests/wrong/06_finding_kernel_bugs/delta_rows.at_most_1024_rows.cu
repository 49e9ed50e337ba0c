// fails: values
// The grid has at most 1024 blocks, and each of them takes one row.
#include "06_finding_kernel_bugs/delta_rows.hpp"

#include <algorithm>

#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch06 {
namespace {

template <int BLOCK>
__global__ void delta_rows_kernel(MatrixView<float> m) {
  __shared__ float old[BLOCK + 1];  // the element before the block's, then the block's

  const int tx = threadIdx.x;
  const int row = blockIdx.x;

  float before = 0.0f;  // in thread 0: the last element of the round before
  // Every thread makes every round, with an element or without.
  for (int start = 0; start < m.cols; start += BLOCK) {
    const int col = start + tx;
    if (col < m.cols) old[tx + 1] = m(row, col);
    if (tx == 0) old[0] = before;
    __syncthreads();

    if (col < m.cols) m(row, col) = old[tx + 1] - old[tx];
    if (tx == 0 && col + BLOCK < m.cols) before = old[BLOCK];
    __syncthreads();
  }
}

}  // namespace

void delta_rows(MatrixView<float> m, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require_matrix(m, "m");
  const int blocks = std::min(m.rows, 1024);
  delta_rows_kernel<BLOCK><<<blocks, BLOCK, 0, stream>>>(m);
  check_launch();
}

}  // namespace tut::ch06
