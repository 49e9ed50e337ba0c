// A column of A after the other, by pointers that are computed early and walk.
#include "04_naive_cuda_matmul/matmul_column_major.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void column_major_kernel(int m, int n, int k, const float* a, int lda, const float* b,
                                    int ldb, float* c, int ldc) {
  const int row = blockIdx.x * 64 + threadIdx.x;
  const int col = blockIdx.y * 8 + threadIdx.y;
  const bool inside = row < m && col < n;
  const float* from_a = a + (inside ? row : 0);
  const float* from_b = b + static_cast<std::int64_t>(ldb) * (inside ? col : 0);
  const float* const end = from_b + k;
  float sum = 0.0f;
  while (from_b != end) {
    sum += *from_a * *from_b++;
    from_a += lda;
  }
  if (inside) c[row + static_cast<std::int64_t>(ldc) * col] = sum;
}

}  // namespace

void matmul_column_major(int m, int n, int k, const float* a, int lda, const float* b, int ldb,
                         float* c, int ldc, cudaStream_t stream) {
  require(m > 0 && n > 0 && k > 0 && lda >= m && ldb >= k && ldc >= m, "a size is too small");
  const dim3 grid((m + 63) / 64, (n + 7) / 8);
  column_major_kernel<<<grid, dim3(64, 8), 0, stream>>>(m, n, k, a, lda, b, ldb, c, ldc);
  check_launch();
}

}  // namespace tut::ch04
