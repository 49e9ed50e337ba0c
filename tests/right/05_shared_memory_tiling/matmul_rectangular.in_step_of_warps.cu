// The row of A that a warp needs stays in its registers and is handed round by shuffles.
#include "05_shared_memory_tiling/matmul_rectangular.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch05 {
namespace {

__global__ void matmul_rectangular_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                          MatrixView<float> c) {
  __shared__ float b_tile[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 8 + ty, col = blockIdx.x * 32 + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < a.cols; k0 += 32) {
    const float mine = row < a.rows && k0 + tx < a.cols ? a(row, k0 + tx) : 0.0f;
    for (int k = ty; k < 32; k += 8) {
      b_tile[k][tx] = k0 + k < b.rows && col < b.cols ? b(k0 + k, col) : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += __shfl_sync(0xffffffff, mine, k) * b_tile[k][tx];
    __syncthreads();
  }
  if (row < c.rows && col < c.cols) c(row, col) = sum;
}

}  // namespace

void matmul_rectangular(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                        cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  matmul_rectangular_kernel<<<dim3((c.cols + 31) / 32, (c.rows + 7) / 8), dim3(32, 8), 0, stream>>>(
      a, b, c);
  check_launch();
}

}  // namespace tut::ch05
