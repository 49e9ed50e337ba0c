// 256 threads in one dimension; the tile is turned when it is written.
#include "06_finding_kernel_bugs/row_sums.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void row_sums_kernel(MatrixView<const float> in, float* sums) {
  __shared__ float tile[32 * 33];  // (column, row)
  const int tid = threadIdx.x, row0 = blockIdx.x * 32;
  float sum = 0.0f;
  for (int j0 = 0; j0 < in.cols; j0 += 32) {
    for (int e = tid; e < 1024; e += 256) {
      const int r = e / 32, s = e % 32;
      const bool inside = row0 + r < in.rows && j0 + s < in.cols;
      tile[s * 33 + r] = inside ? in.data[(row0 + r) * in.stride + j0 + s] : 0.0f;
    }
    __syncthreads();
    if (tid < 32) {
      for (int k = 0; k < 32; ++k) sum += tile[k * 33 + tid];
    }
    __syncthreads();
  }
  if (tid < 32 && row0 + tid < in.rows) sums[row0 + tid] = sum;
}

}  // namespace

void row_sums(MatrixView<const float> in, float* sums, cudaStream_t stream) {
  require_matrix(in, "in");
  row_sums_kernel<<<(in.rows + 31) / 32, 256, 0, stream>>>(in, sums);
  check_launch();
}

}  // namespace tut::ch06
