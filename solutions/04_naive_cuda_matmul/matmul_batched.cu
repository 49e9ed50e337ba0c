#include "04_naive_cuda_matmul/matmul_batched.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch04 {
namespace {

__global__ void matmul_batched_kernel(MatrixView<const float> a, std::int64_t a_step,
                                      MatrixView<const float> b, std::int64_t b_step,
                                      MatrixView<float> c, std::int64_t c_step) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;

  //! [hole-matrices]
  // Move the three views to the matrices of this block's product; blockIdx.z says which it
  // is.
  const std::int64_t i = blockIdx.z;
  a.data += i * a_step;
  b.data += i * b_step;
  c.data += i * c_step;
  //! [hole-matrices]

  //! [hole-product]
  // Compute and write this thread's element, if it lies inside the matrix.
  if (row >= c.rows || col >= c.cols) return;
  float sum = 0.0f;
  for (int k = 0; k < a.cols; ++k) sum += a(row, k) * b(k, col);
  c(row, col) = sum;
  //! [hole-product]
}

}  // namespace

void matmul_batched(MatrixView<const float> a, std::int64_t a_step, MatrixView<const float> b,
                    std::int64_t b_step, MatrixView<float> c, std::int64_t c_step, int batch,
                    cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  if (batch == 0) return;

  const dim3 block(32, 8);
  dim3 grid(1, 1, 1);
  //! [hole-grid]
  // A grid of three dimensions: columns of C, rows of C, products.
  grid = dim3(ceil_div(c.cols, 32), ceil_div(c.rows, 8), batch);
  //! [hole-grid]
  matmul_batched_kernel<<<grid, block, 0, stream>>>(a, a_step, b, b_step, c, c_step);
  check_launch();
}

}  // namespace tut::ch04
