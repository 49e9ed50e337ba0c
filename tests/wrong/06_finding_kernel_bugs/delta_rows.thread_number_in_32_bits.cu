// fails: values
// says: was never written
// only: cpu backend, because a GPU's memory does not hold as many elements as it takes
// A warp a row, which it finds by the number of its thread, an unsigned.
#include "06_finding_kernel_bugs/delta_rows.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void delta_rows_kernel(MatrixView<float> m) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = thread / 32, lane = thread % 32;
  if (row >= m.rows) return;
  float before = 0.0f;  // the last element of the round before
  for (int start = 0; start < m.cols; start += 32) {
    const int col = start + lane;
    const float mine = col < m.cols ? m(row, col) : 0.0f;
    float left = __shfl_up_sync(0xffffffff, mine, 1);
    if (lane == 0) left = before;
    before = __shfl_sync(0xffffffff, mine, 31);
    if (col < m.cols && col > 0) m(row, col) = mine - left;
  }
}

}  // namespace

void delta_rows(MatrixView<float> m, cudaStream_t stream) {
  require_matrix(m, "m");
  delta_rows_kernel<<<(m.rows + 7) / 8, 256, 0, stream>>>(m);
  check_launch();
}

}  // namespace tut::ch06
