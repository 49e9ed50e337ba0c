// Each warp takes a row of its own: eight a block, and no shared memory.
#include "06_finding_kernel_bugs/row_norms.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void row_norms_kernel(MatrixView<const float> in, float* squares) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= in.rows) return;  // the whole warp
  float sum = 0.0f;
  for (int j = threadIdx.x; j < in.cols; j += 32) sum += in(row, j) * in(row, j);
  for (int k = 1; k < 32; k *= 2) sum += __shfl_xor_sync(0xffffffff, sum, k);
  if (threadIdx.x == 0) squares[row] = sum;
}

}  // namespace

void row_norms(MatrixView<const float> in, float* squares, cudaStream_t stream) {
  require_matrix(in, "in");
  row_norms_kernel<<<(in.rows + 7) / 8, dim3(32, 8), 0, stream>>>(in, squares);
  check_launch();
}

}  // namespace tut::ch06
