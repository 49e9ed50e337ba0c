// One index counts the elements of C down its columns.
#include "04_naive_cuda_matmul/matmul_column_major.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void column_major_kernel(int m, int n, int k, const float* a, int lda, const float* b,
                                    int ldb, float* c, int ldc) {
  const std::int64_t element = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  const std::int64_t row = element % m;
  const std::int64_t col = element / m;
  if (col >= n) return;
  float sum = 0.0f;
  for (std::int64_t l = 0; l < k; ++l) sum += a[row + l * lda] * b[l + col * ldb];
  c[row + col * ldc] = sum;
}

}  // namespace

void matmul_column_major(int m, int n, int k, const float* a, int lda, const float* b, int ldb,
                         float* c, int ldc, cudaStream_t stream) {
  require(m > 0 && n > 0 && k > 0 && lda >= m && ldb >= k && ldc >= m, "a size is too small");
  const auto blocks = static_cast<unsigned>((std::int64_t{m} * n + 127) / 128);
  column_major_kernel<<<blocks, 128, 0, stream>>>(m, n, k, a, lda, b, ldb, c, ldc);
  check_launch();
}

}  // namespace tut::ch04
