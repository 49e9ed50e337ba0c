// A few blocks walk over C in strides of the grid; pointers are computed before the loop over k.
#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void transposed_a_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                    MatrixView<float> c) {
  for (int row = blockIdx.y * blockDim.y + threadIdx.y; row < c.rows;
       row += gridDim.y * blockDim.y) {
    for (int col = blockIdx.x * blockDim.x + threadIdx.x; col < c.cols;
         col += gridDim.x * blockDim.x) {
      const float* from_a = a.data + row;
      const float* from_b = b.data + col;
      float* const to = &c(row, col);
      float sum = 0.0f;
      for (int k = 0; k < a.rows; ++k, from_a += a.stride, from_b += b.stride) {
        sum = fmaf(*from_a, *from_b, sum);
      }
      *to = sum;
    }
  }
}

}  // namespace

void matmul_transposed_a(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  require(a.rows == b.rows && c.rows == a.cols && c.cols == b.cols, "the shapes do not fit");
  transposed_a_kernel<<<dim3(2, 8), dim3(64, 4), 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch04
