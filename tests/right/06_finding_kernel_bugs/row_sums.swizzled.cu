// The tile has no padding: each row begins at another place.
#include "06_finding_kernel_bugs/row_sums.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void row_sums_kernel(MatrixView<const float> in, float* sums) {
  __shared__ float tile[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.x * 32 + ty;
  float sum = 0.0f;
  for (int j = tx; j - tx < in.cols; j += 32) {
    tile[ty][(tx + ty) % 32] = row < in.rows && j < in.cols ? in(row, j) : 0.0f;
    __syncthreads();
    if (ty == 0) {
      for (int k = 0; k < 32; ++k) sum += tile[tx][(tx + k) % 32];
    }
    __syncthreads();
  }
  const int mine = blockIdx.x * 32 + tx;
  if (ty == 0 && mine < in.rows) sums[mine] = sum;
}

}  // namespace

void row_sums(MatrixView<const float> in, float* sums, cudaStream_t stream) {
  require_matrix(in, "in");
  row_sums_kernel<<<(in.rows + 31) / 32, dim3(32, 32), 0, stream>>>(in, sums);
  check_launch();
}

}  // namespace tut::ch06
