// A thread computes two rows, which lie 32 apart, of 8 columns: 16 elements.
#include "04_naive_cuda_matmul/matmul_column_major.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch04 {
namespace {

constexpr int kRows = 2, kCols = 8, kLanes = 32;  // of a thread; of a warp

__global__ void kernel(int m, int n, int depth, const float* a, std::int64_t lda, const float* b,
                       std::int64_t ldb, float* c, std::int64_t ldc) {
  const int row0 = blockIdx.x * kLanes * kRows + threadIdx.x;
  const int col0 = (blockIdx.y * blockDim.y + threadIdx.y) * kCols;
  if (row0 >= m || col0 >= n) return;
  float sums[kCols][kRows] = {};
  for (int k = 0; k < depth; ++k) {
    float a_part[kRows];
    for (int i = 0; i < kRows; ++i) {
      const int row = row0 + i * kLanes;
      a_part[i] = row < m ? a[row + k * lda] : 0.0f;
    }
    for (int j = 0; j < kCols && col0 + j < n; ++j) {
      const float b_value = b[k + (col0 + j) * ldb];
      for (int i = 0; i < kRows; ++i) sums[j][i] += a_part[i] * b_value;
    }
  }
  for (int j = 0; j < kCols && col0 + j < n; ++j) {
    for (int i = 0; i < kRows; ++i) {
      const int row = row0 + i * kLanes;
      if (row < m) c[row + (col0 + j) * ldc] = sums[j][i];
    }
  }
}

}  // namespace

void matmul_column_major(int m, int n, int k, const float* a, int lda, const float* b, int ldb,
                         float* c, int ldc, cudaStream_t stream) {
  require(m > 0 && n > 0 && k > 0, "a size is below 1");
  require(lda >= m && ldb >= k && ldc >= m, "a leading dimension is too small");
  const dim3 grid(ceil_div(m, kLanes * kRows), ceil_div(n, 8 * kCols));
  kernel<<<grid, dim3(kLanes, 8), 0, stream>>>(m, n, k, a, lda, b, ldb, c, ldc);
  check_launch();
}

}  // namespace tut::ch04
