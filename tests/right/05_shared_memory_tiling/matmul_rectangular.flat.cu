// 256 threads in one dimension stage both tiles by one loop each.
#include "05_shared_memory_tiling/matmul_rectangular.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch05 {
namespace {

__global__ void matmul_rectangular_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                          MatrixView<float> c) {
  __shared__ float a_tile[8 * 32];
  __shared__ float b_tile[32 * 32];
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * 8, col0 = blockIdx.x * 32;
  const int row = row0 + tid / 32, col = col0 + tid % 32;
  float sum = 0.0f;
  for (int k0 = 0; k0 < a.cols; k0 += 32) {
    for (int i = tid; i < 8 * 32; i += blockDim.x) {
      const int r = row0 + i / 32, k = k0 + i % 32;
      a_tile[i] = r < a.rows && k < a.cols ? a(r, k) : 0.0f;
    }
    for (int i = tid; i < 32 * 32; i += blockDim.x) {
      const int k = k0 + i / 32, s = col0 + i % 32;
      b_tile[i] = k < b.rows && s < b.cols ? b(k, s) : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += a_tile[tid / 32 * 32 + k] * b_tile[k * 32 + tid % 32];
    __syncthreads();
  }
  if (row < c.rows && col < c.cols) c(row, col) = sum;
}

}  // namespace

void matmul_rectangular(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                        cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  matmul_rectangular_kernel<<<dim3((c.cols + 31) / 32, (c.rows + 7) / 8), 256, 0, stream>>>(a, b,
                                                                                            c);
  check_launch();
}

}  // namespace tut::ch05
