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

  // TODO: Move the three views to the matrices of this block's product; blockIdx.z says which it
  // is.

  // TODO: Compute and write this thread's element, if it lies inside the matrix.
}

}  // namespace

void matmul_batched(MatrixView<const float> a, std::int64_t a_step, MatrixView<const float> b,
                    std::int64_t b_step, MatrixView<float> c, std::int64_t c_step, int batch,
                    cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  if (batch == 0) return;

  const dim3 block(32, 8);
  dim3 grid(1, 1, 1);
  // TODO: A grid of three dimensions: columns of C, rows of C, products.
  matmul_batched_kernel<<<grid, block, 0, stream>>>(a, a_step, b, b_step, c, c_step);
  check_launch();
}

}  // namespace tut::ch04
