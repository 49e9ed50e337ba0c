// fails: out-of-bounds
// Numbers the elements of C by an int, which is too short for 50000 x 50000 of them.
#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void matmul_transposed_a_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                           MatrixView<float> c) {
  const int element = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = element / c.cols;
  const int col = element % c.cols;
  if (row >= c.rows) return;

  float sum = 0.0f;
  for (int k = 0; k < a.rows; ++k) sum += a(k, row) * b(k, col);
  c(row, col) = sum;
}

}  // namespace

void matmul_transposed_a(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  constexpr int BLOCK = 1024;
  const MatrixView<const float> a_transposed{a.data, a.cols, a.rows, a.rows};  // shape only
  require_matmul_shapes(a_transposed, b, c);

  const std::int64_t elements = std::int64_t{c.rows} * c.cols;
  const auto blocks = static_cast<unsigned>((elements + BLOCK - 1) / BLOCK);
  matmul_transposed_a_kernel<<<blocks, BLOCK, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch04
