// Pointers instead of views, dynamic shared memory, and a step of 16 along K.
#include "07_register_tiling/matmul_register_row.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

__global__ void register_row_kernel(const float* a, const float* b, float* c, int m, int n, int k,
                                    std::int64_t lda, std::int64_t ldb, std::int64_t ldc) {
  extern __shared__ float memory[];
  float* const as = memory;            // 16 rows of 66: (k, row)
  float* const bs = memory + 16 * 66;  // 16 rows of 64
  const int thread = threadIdx.x, lane = thread % 8, line = thread / 8;
  const int row = blockIdx.y * 64 + line, first = blockIdx.x * 64;
  float sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int step = 0; step < k; step += 16) {
    for (int i = thread; i < 64 * 16; i += 512) {
      const int ar = blockIdx.y * 64 + i / 16, ak = step + i % 16;
      as[i % 16 * 66 + i / 16] = ar < m && ak < k ? a[ar * lda + ak] : 0.0f;
      const int bk = step + i / 64, bc = first + i % 64;
      bs[i] = bk < k && bc < n ? b[bk * ldb + bc] : 0.0f;
    }
    __syncthreads();
    for (int kk = 0; kk < 16; ++kk) {
      const float value = as[kk * 66 + line];
      for (int j = 0; j < 8; ++j) sum[j] = fmaf(value, bs[kk * 64 + lane + 8 * j], sum[j]);
    }
    __syncthreads();
  }
  if (row >= m) return;
  for (int j = 0; j < 8; ++j) {
    const int col = first + lane + 8 * j;
    if (col < n) c[row * ldc + col] = sum[j];
  }
}

}  // namespace

void matmul_register_row(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  const dim3 grid((c.cols + 63) / 64, (c.rows + 63) / 64);
  register_row_kernel<<<grid, 512, 16 * (66 + 64) * sizeof(float), stream>>>(
      a.data, b.data, c.data, c.rows, c.cols, a.cols, a.stride, b.stride, c.stride);
  check_launch();
}

}  // namespace tut::ch07
