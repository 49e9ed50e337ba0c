// fails: budget
// says: stores touch 32 sectors
// x and y are swapped in each block: the threads of a warp write down a column of C, and read one
// of B.
#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void matmul_transposed_a_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                           MatrixView<float> c) {
  const int row = blockIdx.y * blockDim.x + threadIdx.x;
  const int col = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= c.rows || col >= c.cols) return;

  // Sum over k. A is (K, M): is k its row or its column? How far does k run?
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
  dim3 grid(1, 1);
  grid = dim3(ceil_div(c.cols, BLOCK), ceil_div(c.rows, BLOCK));
  matmul_transposed_a_kernel<<<grid, block, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch04
