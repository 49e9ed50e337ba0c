// A thread computes two elements of C, 16 rows apart, and stages two of each tile.
#include "05_shared_memory_tiling/matmul_padded.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch05 {
namespace {

__global__ void matmul_padded_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                     MatrixView<float> c) {
  __shared__ float a_tile[32][33];
  __shared__ float b_tile[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * 32 + tx;
  float sums[2] = {0.0f, 0.0f};
  for (int k0 = 0; k0 < a.cols; k0 += 32) {
    for (int half = 0; half < 2; ++half) {
      const int y = ty + 16 * half, row = blockIdx.y * 32 + y;
      a_tile[tx][y] = row < a.rows && k0 + tx < a.cols ? a(row, k0 + tx) : 0.0f;
      b_tile[y][tx] = k0 + y < b.rows && col < b.cols ? b(k0 + y, col) : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      sums[0] += a_tile[k][ty] * b_tile[k][tx];
      sums[1] += a_tile[k][ty + 16] * b_tile[k][tx];
    }
    __syncthreads();
  }
  for (int half = 0; half < 2; ++half) {
    const int row = blockIdx.y * 32 + ty + 16 * half;
    if (row < c.rows && col < c.cols) c(row, col) = sums[half];
  }
}

}  // namespace

void matmul_padded(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                   cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  matmul_padded_kernel<<<dim3((c.cols + 31) / 32, (c.rows + 31) / 32), dim3(32, 16), 0, stream>>>(
      a, b, c);
  check_launch();
}

}  // namespace tut::ch05
