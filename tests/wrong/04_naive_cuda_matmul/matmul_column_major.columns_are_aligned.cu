// fails: misaligned
// Takes columns of B that are a multiple of 16 bytes apart to begin at one, and reads them as
// float4.
#include "04_naive_cuda_matmul/matmul_column_major.hpp"

#include <cstdint>
#include <string>

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void matmul_column_major_kernel(int m, int n, int k_size, const float* a,
                                           std::int64_t lda, const float* b, std::int64_t ldb,
                                           float* c, std::int64_t ldc) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;

  float sum = 0.0f;
  int first = 0;
  if (ldb % 4 == 0) {
    for (; first + 4 <= k_size; first += 4) {
      const float4 four = *reinterpret_cast<const float4*>(b + first + col * ldb);
      const float* const from_a = a + row + first * lda;
      sum += from_a[0] * four.x + from_a[lda] * four.y;
      sum += from_a[2 * lda] * four.z + from_a[3 * lda] * four.w;
    }
  }
  for (int k = first; k < k_size; ++k) sum += a[row + k * lda] * b[k + col * ldb];
  c[row + col * ldc] = sum;
}

void require_matrix_sizes(const char* name, int rows, int cols, int ld) {
  require(rows >= 1 && cols >= 1 && ld >= rows,
          {name, " is ", rows, "x", cols, " with leading dimension ", ld,
           "; expected at least 1x1 and a leading dimension of at least its rows"});
}

}  // namespace

void matmul_column_major(int m, int n, int k, const float* a, int lda, const float* b, int ldb,
                         float* c, int ldc, cudaStream_t stream) {
  constexpr int BLOCK = 32;
  require_matrix_sizes("A", m, k, lda);
  require_matrix_sizes("B", k, n, ldb);
  require_matrix_sizes("C", m, n, ldc);

  const dim3 block(BLOCK, BLOCK);
  dim3 grid(1, 1);
  grid = dim3(ceil_div(m, BLOCK), ceil_div(n, BLOCK));
  matmul_column_major_kernel<<<grid, block, 0, stream>>>(m, n, k, a, lda, b, ldb, c, ldc);
  check_launch();
}

}  // namespace tut::ch04
