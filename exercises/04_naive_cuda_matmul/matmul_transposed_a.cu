#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch04 {
namespace {

__global__ void matmul_transposed_a_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                           MatrixView<float> c) {
  // TODO: Which element of C is this thread's? Consecutive threadIdx.x, consecutive elements of B
  // and C. Threads outside C have nothing to do.

  // TODO: Sum over k. A is (K, M): is k its row or its column? How far does k run?
}

}  // namespace

void matmul_transposed_a(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  constexpr int BLOCK = 32;
  const MatrixView<const float> a_transposed{a.data, a.cols, a.rows, a.rows};  // shape only
  require_matmul_shapes(a_transposed, b, c);

  const dim3 block(BLOCK, BLOCK);
  dim3 grid(1, 1);
  // TODO: Enough blocks for every element of C: which of its sizes belongs to x?
  matmul_transposed_a_kernel<<<grid, block, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch04
