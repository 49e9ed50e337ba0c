// No padding: the row is mixed into the place along k, which spreads a column over the banks.
#include "05_shared_memory_tiling/matmul_padded.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch05 {
namespace {

__global__ void matmul_padded_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                     MatrixView<float> c) {
  __shared__ float a_tile[32][32];  // (k, row ^ k)
  __shared__ float b_tile[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = 32 * blockIdx.y + ty, col = 32 * blockIdx.x + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < a.cols; k0 += 32) {
    float from_a = 0.0f, from_b = 0.0f;
    if (row < a.rows && k0 + tx < a.cols) from_a = a(row, k0 + tx);
    if (col < b.cols && k0 + ty < b.rows) from_b = b(k0 + ty, col);
    __syncthreads();
    a_tile[tx][ty ^ tx] = from_a;
    b_tile[ty][tx] = from_b;
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += a_tile[k][ty ^ k] * b_tile[k][tx];
  }
  if (row < c.rows && col < c.cols) c(row, col) = sum;
}

}  // namespace

void matmul_padded(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                   cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  matmul_padded_kernel<<<dim3((c.cols + 31) / 32, (c.rows + 31) / 32), dim3(32, 32), 0, stream>>>(
      a, b, c);
  check_launch();
}

}  // namespace tut::ch05
