// A tree in shared memory, of 128 threads.
#include "06_finding_kernel_bugs/row_norms.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void row_norms_kernel(MatrixView<const float> in, float* squares) {
  __shared__ float sums[128];
  const int tx = threadIdx.x;
  const float* const row = in.data + in.stride * blockIdx.x;
  sums[tx] = 0.0f;
  for (int j = tx; j < in.cols; j += 128) sums[tx] += row[j] * row[j];
  __syncthreads();
  for (int step = 64; step > 0; step /= 2) {
    if (tx < step) sums[tx] += sums[tx + step];
    __syncthreads();
  }
  if (tx == 0) squares[blockIdx.x] = sums[0];
}

}  // namespace

void row_norms(MatrixView<const float> in, float* squares, cudaStream_t stream) {
  require_matrix(in, "in");
  row_norms_kernel<<<in.rows, 128, 0, stream>>>(in, squares);
  check_launch();
}

}  // namespace tut::ch06
