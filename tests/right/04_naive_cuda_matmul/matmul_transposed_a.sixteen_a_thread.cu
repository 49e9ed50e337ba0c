// A thread computes 8 rows of two columns, which lie 32 apart: 16 elements.
#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch04 {
namespace {

constexpr int kRows = 8, kCols = 2, kLanes = 32;  // of a thread; of a warp

__global__ void kernel(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  const int row0 = (blockIdx.y * blockDim.y + threadIdx.y) * kRows;
  const int col0 = blockIdx.x * kLanes * kCols + threadIdx.x;
  float sums[kRows][kCols] = {};
  for (int k = 0; k < a.rows; ++k) {
    float b_part[kCols];
    for (int j = 0; j < kCols; ++j) {
      const int col = col0 + j * kLanes;
      b_part[j] = col < c.cols ? b(k, col) : 0.0f;
    }
    for (int i = 0; i < kRows; ++i) {
      if (row0 + i >= c.rows || col0 >= c.cols) break;
      const float a_value = a(k, row0 + i);
      for (int j = 0; j < kCols; ++j) sums[i][j] += a_value * b_part[j];
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kCols; ++j) {
      const int row = row0 + i, col = col0 + j * kLanes;
      if (row < c.rows && col < c.cols) c(row, col) = sums[i][j];
    }
  }
}

}  // namespace

void matmul_transposed_a(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  require_matmul_shapes(MatrixView<const float>{a.data, a.cols, a.rows, a.rows}, b, c);
  const dim3 block(kLanes, 8);
  const dim3 grid(ceil_div(c.cols, kLanes * kCols), ceil_div(c.rows, 8 * kRows));
  kernel<<<grid, block, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch04
