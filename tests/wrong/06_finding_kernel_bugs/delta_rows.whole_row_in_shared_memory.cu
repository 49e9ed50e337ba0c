// fails: launch
// The block stages the row as a whole: a block may have 227 KiB, and a row be longer.
#include "06_finding_kernel_bugs/delta_rows.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void delta_rows_kernel(MatrixView<float> m) {
  extern __shared__ float old[];
  const int row = blockIdx.x;
  for (int col = threadIdx.x; col < m.cols; col += blockDim.x) old[col] = m(row, col);
  __syncthreads();
  for (int col = threadIdx.x; col < m.cols; col += blockDim.x) {
    if (col > 0) m(row, col) = old[col] - old[col - 1];
  }
}

}  // namespace

void delta_rows(MatrixView<float> m, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require_matrix(m, "m");
  const std::size_t bytes = static_cast<std::size_t>(m.cols) * sizeof(float);
  if (bytes > 48 * 1024) {
    check(cudaFuncSetAttribute(delta_rows_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)));
  }
  delta_rows_kernel<<<m.rows, BLOCK, bytes, stream>>>(m);
  check_launch();
}

}  // namespace tut::ch06
