// A warp takes a row and adds up its lanes by shuffles.
#include "06_finding_kernel_bugs/row_sums.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void row_sums_kernel(MatrixView<const float> in, float* sums) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0.0f;
  for (int j = lane; row < in.rows && j < in.cols; j += 32) sum += in(row, j);
  for (int k = 16; k > 0; k /= 2) sum += __shfl_down_sync(0xffffffff, sum, k);
  if (lane == 0 && row < in.rows) sums[row] = sum;
}

}  // namespace

void row_sums(MatrixView<const float> in, float* sums, cudaStream_t stream) {
  require_matrix(in, "in");
  row_sums_kernel<<<(in.rows + 3) / 4, 128, 0, stream>>>(in, sums);
  check_launch();
}

}  // namespace tut::ch06
