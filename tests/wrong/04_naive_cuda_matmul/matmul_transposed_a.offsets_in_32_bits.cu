// fails: values
// says: rows of A are 2^30 elements apart
// Computes offsets in 32 bits, which matrices that fit a device exceed.
#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void matmul_transposed_a_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                           MatrixView<float> c) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= c.rows || col >= c.cols) return;

  float sum = 0.0f;
  for (int k = 0; k < a.rows; ++k) {
    const unsigned offset = k * static_cast<unsigned>(a.stride) + row;
    sum += a.data[offset] * b(k, col);
  }
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
