// fails: values
// says: expected NaN
// A thread whose sum is infinite stops: it does not see a NaN that comes later.
#include "06_finding_kernel_bugs/row_norms.hpp"

#include <cmath>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void row_norms_kernel(MatrixView<const float> in, float* squares) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= in.rows) return;  // the whole warp
  float sum = 0.0f;
  for (int j = threadIdx.x; j < in.cols && !isinf(sum); j += 32) sum += in(row, j) * in(row, j);
  for (int k = 1; k < 32; k *= 2) {
    const float other = __shfl_xor_sync(0xffffffff, sum, k);
    sum = isinf(sum) || isinf(other) ? INFINITY : sum + other;
  }
  if (threadIdx.x == 0) squares[row] = sum;
}

}  // namespace

void row_norms(MatrixView<const float> in, float* squares, cudaStream_t stream) {
  require_matrix(in, "in");
  row_norms_kernel<<<(in.rows + 7) / 8, dim3(32, 8), 0, stream>>>(in, squares);
  check_launch();
}

}  // namespace tut::ch06
