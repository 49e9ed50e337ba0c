// fails: values
// says: the last row of C, of
// only: cpu backend, because a GPU's memory does not hold as many elements as it takes
// Numbers the elements of C in 32 bits without a sign, which are too short for 70000 x 70000.
#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void matmul_transposed_a_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                           MatrixView<float> c) {
  // Which element of C is this thread's? Consecutive threadIdx.x, consecutive elements of B
  // and C. Threads outside C have nothing to do.
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned elements = static_cast<unsigned>(c.rows) * static_cast<unsigned>(c.cols);
  if (i >= elements) return;
  const int row = static_cast<int>(i / static_cast<unsigned>(c.cols));
  const int col = static_cast<int>(i % static_cast<unsigned>(c.cols));

  // Sum over k. A is (K, M): is k its row or its column? How far does k run?
  float sum = 0.0f;
  for (int k = 0; k < a.rows; ++k) sum += a(k, row) * b(k, col);
  c(row, col) = sum;
}

}  // namespace

void matmul_transposed_a(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  constexpr unsigned BLOCK = 256;
  const MatrixView<const float> a_transposed{a.data, a.cols, a.rows, a.rows};  // shape only
  require_matmul_shapes(a_transposed, b, c);

  const unsigned block = BLOCK;
  unsigned grid = 1;
  // Enough blocks for every element of C: which of its sizes belongs to x?
  grid = ceil_div(static_cast<unsigned>(c.rows) * static_cast<unsigned>(c.cols), BLOCK);
  matmul_transposed_a_kernel<<<grid, block, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch04
