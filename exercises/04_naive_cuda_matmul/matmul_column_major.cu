#include "04_naive_cuda_matmul/matmul_column_major.hpp"

#include <cstdint>
#include <string>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch04 {
namespace {

__global__ void matmul_column_major_kernel(int m, int n, int k_size, const float* a,
                                           std::int64_t lda, const float* b, std::int64_t ldb,
                                           float* c, std::int64_t ldc) {
  // TODO: Which element of C is this thread's? Neighbours in a warp differ in threadIdx.x: let them
  // be neighbours in memory. Threads outside C have nothing to do.

  // TODO: Sum the product of row `row` of A and column `col` of B, and write it to C. Element (row,
  // col) of a column-major matrix lies at [row + col * ld].
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
  // TODO: Enough blocks for every element of C: which of its sizes belongs to x now?
  matmul_column_major_kernel<<<grid, block, 0, stream>>>(m, n, k, a, lda, b, ldb, c, ldc);
  check_launch();
}

}  // namespace tut::ch04
