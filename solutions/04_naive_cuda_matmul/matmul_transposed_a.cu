#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch04 {
namespace {

__global__ void matmul_transposed_a_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                           MatrixView<float> c) {
  //! [hole-element]
  // Which element of C is this thread's? Consecutive threadIdx.x, consecutive elements of B
  // and C. Threads outside C have nothing to do.
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= c.rows || col >= c.cols) return;
  //! [hole-element]

  //! [hole-sum]
  // Sum over k. A is (K, M): is k its row or its column? How far does k run?
  float sum = 0.0f;
  for (int k = 0; k < a.rows; ++k) sum += a(k, row) * b(k, col);
  c(row, col) = sum;
  //! [hole-sum]
}

}  // namespace

void matmul_transposed_a(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  constexpr int BLOCK = 32;
  const MatrixView<const float> a_transposed{a.data, a.cols, a.rows, a.rows};  // shape only
  require_matmul_shapes(a_transposed, b, c);

  const dim3 block(BLOCK, BLOCK);
  dim3 grid(1, 1);
  //! [hole-grid]
  // Enough blocks for every element of C: which of its sizes belongs to x?
  grid = dim3(ceil_div(c.cols, BLOCK), ceil_div(c.rows, BLOCK));
  //! [hole-grid]
  matmul_transposed_a_kernel<<<grid, block, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch04
