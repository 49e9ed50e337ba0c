// fails: values
// says: batch of 65535 times 260x1
// only: cpu backend, because a GPU's memory does not hold as many elements as it takes
// One index of 32 bits counts the elements of all products.
#include "04_naive_cuda_matmul/matmul_batched.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void matmul_batched_kernel(MatrixView<const float> a, std::int64_t a_step,
                                      MatrixView<const float> b, std::int64_t b_step,
                                      MatrixView<float> c, std::int64_t c_step, unsigned elements) {
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= elements) return;
  const unsigned rows = c.rows, cols = c.cols;
  const int row = static_cast<int>(index / cols % rows);
  const int col = static_cast<int>(index % cols);

  // Move the three views to the matrices of this block's product; blockIdx.z says which it
  // is.
  const std::int64_t i = index / cols / rows;
  a.data += i * a_step;
  b.data += i * b_step;
  c.data += i * c_step;

  // Compute and write this thread's element, if it lies inside the matrix.
  float sum = 0.0f;
  for (int k = 0; k < a.cols; ++k) sum += a(row, k) * b(k, col);
  c(row, col) = sum;
}

}  // namespace

void matmul_batched(MatrixView<const float> a, std::int64_t a_step, MatrixView<const float> b,
                    std::int64_t b_step, MatrixView<float> c, std::int64_t c_step, int batch,
                    cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  if (batch == 0) return;

  const unsigned block = 256;
  unsigned grid = 1;
  const unsigned elements =
      static_cast<unsigned>(batch) * static_cast<unsigned>(c.rows) * static_cast<unsigned>(c.cols);
  // A grid of three dimensions: columns of C, rows of C, products.
  grid = ceil_div(elements, block);
  matmul_batched_kernel<<<grid, block, 0, stream>>>(a, a_step, b, b_step, c, c_step, elements);
  check_launch();
}

}  // namespace tut::ch04
