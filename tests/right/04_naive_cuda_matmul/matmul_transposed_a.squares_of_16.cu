// Blocks of 16 x 16: a warp is two half rows of C, so it reads two words of A and two runs of B.
#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch04 {
namespace {

__global__ void transposed_a_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                    MatrixView<float> c) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  if (x < c.cols && y < c.rows) {
    float sum = 0.0f;
    for (int k = 0; k < a.rows; k++) {
      sum += a(k, y) * b(k, x);
    }
    c(y, x) = sum;
  }
}

}  // namespace

void matmul_transposed_a(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  if (a.rows != b.rows || c.rows != a.cols || c.cols != b.cols) {
    throw std::invalid_argument("the shapes do not fit");
  }
  const dim3 grid((c.cols + 15) / 16, (c.rows + 15) / 16);
  transposed_a_kernel<<<grid, dim3(16, 16), 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch04
