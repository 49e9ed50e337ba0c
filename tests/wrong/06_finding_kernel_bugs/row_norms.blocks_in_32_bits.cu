// fails: values
// says: 2^27 elements apart
// Where the rows of a block begin is computed in 32 bits, and from there on in 64.
#include "06_finding_kernel_bugs/row_norms.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void row_norms_kernel(MatrixView<const float> in, float* squares) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= in.rows) return;  // the whole warp
  const unsigned first = blockIdx.x * blockDim.y * static_cast<unsigned>(in.stride);
  const float* const values = in.data + first + threadIdx.y * in.stride;
  float sum = 0.0f;
  for (int j = threadIdx.x; j < in.cols; j += 32) sum += values[j] * values[j];
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
