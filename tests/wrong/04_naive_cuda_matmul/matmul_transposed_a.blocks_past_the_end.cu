// fails: budget
// says: 6 blocks have no thread that uses memory
// A row and a column of blocks too many where 32 divides the sizes.
#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void matmul_transposed_a_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                           MatrixView<float> c) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= c.rows || col >= c.cols) return;

  float sum = 0.0f;
  for (int k = 0; k < a.rows; ++k) sum += a(k, row) * b(k, col);
  c(row, col) = sum;
}

}  // namespace

void matmul_transposed_a(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  constexpr int BLOCK = 32;
  const MatrixView<const float> a_transposed{a.data, a.cols, a.rows, a.rows};  // shape only
  require_matmul_shapes(a_transposed, b, c);

  const dim3 block(BLOCK, BLOCK);
  const dim3 grid(c.cols / BLOCK + 1, c.rows / BLOCK + 1);
  matmul_transposed_a_kernel<<<grid, block, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch04
