// fails: values
// Asks for the stride only where there are several rows.
#include "06_finding_kernel_bugs/delta_rows.hpp"

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
  for (int first = 0; first < m.cols; first += BLOCK) {
    const int col = first + tx;
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
  require(m.rows >= 1, {"m has ", m.rows, " rows; expected at least 1"});
  require(m.cols >= 1, {"m has ", m.cols, " columns; expected at least 1"});
  // From row to row the rows must not overlap.
  require(m.rows == 1 || m.stride >= m.cols,
          {"m has a stride of ", m.stride, "; expected at least ", m.cols});
  require(m.data != nullptr, "m has no data (a null pointer)");
  delta_rows_kernel<BLOCK><<<m.rows, BLOCK, 0, stream>>>(m);
  check_launch();
}

}  // namespace tut::ch06
