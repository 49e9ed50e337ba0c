// Two tiles in turn: a part is staged while what the one before left is still there.
#include "06_finding_kernel_bugs/delta_rows.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void delta_rows_kernel(MatrixView<float> m) {
  __shared__ float tiles[2][128];
  float* const row = &m(blockIdx.x, 0);
  const int tx = threadIdx.x;
  for (int part = 0; part * 128 < m.cols; ++part) {
    const int j = part * 128 + tx;
    float* const tile = tiles[part % 2];
    if (j < m.cols) tile[tx] = row[j];
    __syncthreads();
    if (j < m.cols && j > 0) row[j] = tile[tx] - (tx > 0 ? tile[tx - 1] : tiles[1 - part % 2][127]);
    __syncthreads();
  }
}

}  // namespace

void delta_rows(MatrixView<float> m, cudaStream_t stream) {
  require_matrix(m, "m");
  delta_rows_kernel<<<m.rows, 128, 0, stream>>>(m);
  check_launch();
}

}  // namespace tut::ch06
