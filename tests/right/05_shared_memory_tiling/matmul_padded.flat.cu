// Blocks of 1024 threads in one dimension; rows and columns come from one index.
#include "05_shared_memory_tiling/matmul_padded.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch05 {
namespace {

__global__ void matmul_padded_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                     MatrixView<float> c) {
  __shared__ float a_tile[32 * 33], b_tile[32 * 32];
  const int tid = threadIdx.x;
  const int r = tid / 32, s = tid % 32;
  const int row = blockIdx.y * 32 + r, col = blockIdx.x * 32 + s;
  float sum = 0.0f;
  for (int t = 0; t < (a.cols + 31) / 32; ++t) {
    const int k = t * 32;
    a_tile[s * 33 + r] = (row < a.rows && k + s < a.cols) ? a(row, k + s) : 0.0f;
    b_tile[tid] = (k + r < b.rows && col < b.cols) ? b(k + r, col) : 0.0f;
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += a_tile[i * 33 + r] * b_tile[i * 32 + s];
    __syncthreads();
  }
  if (row < c.rows && col < c.cols) c(row, col) = sum;
}

}  // namespace

void matmul_padded(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                   cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  matmul_padded_kernel<<<dim3((c.cols + 31) / 32, (c.rows + 31) / 32), 1024, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch05
