// Blocks of 16 x 16; what lies outside is not computed, inside one condition.
#include "04_naive_cuda_matmul/matmul_column_major.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch04 {
namespace {

__device__ std::int64_t place(int row, int col, int ld) { return row + std::int64_t{col} * ld; }

__global__ void column_major_kernel(int m, int n, int k, const float* a, int lda, const float* b,
                                    int ldb, float* c, int ldc) {
  const int row = threadIdx.x + 16 * blockIdx.x, col = threadIdx.y + 16 * blockIdx.y;
  if (row < m && col < n) {
    float sum = 0.0f;
    for (int l = 0; l < k; ++l) sum += a[place(row, l, lda)] * b[place(l, col, ldb)];
    c[place(row, col, ldc)] = sum;
  }
}

}  // namespace

void matmul_column_major(int m, int n, int k, const float* a, int lda, const float* b, int ldb,
                         float* c, int ldc, cudaStream_t stream) {
  require(m > 0 && n > 0 && k > 0 && lda >= m && ldb >= k && ldc >= m, "a size is too small");
  const dim3 grid((m + 15) / 16, (n + 15) / 16);
  column_major_kernel<<<grid, dim3(16, 16), 0, stream>>>(m, n, k, a, lda, b, ldb, c, ldc);
  check_launch();
}

}  // namespace tut::ch04
