// Two pairs of tiles in turn, so that one barrier a step is enough; threads in two dimensions.
#include "07_register_tiling/matmul_register_row.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

__global__ void register_row_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                    MatrixView<float> c) {
  __shared__ float as[2][64][8], bs[2][8][64];
  const int x = threadIdx.x, y = threadIdx.y;  // 8 x 64
  const int thread = y * 8 + x;
  const int row = blockIdx.y * 64 + y, col = blockIdx.x * 64 + x;
  const int b_row = thread / 64, b_col = blockIdx.x * 64 + thread % 64;
  float sums[8] = {};
  int buffer = 0;
  for (int k = 0; k < a.cols; k += 8, buffer ^= 1) {
    as[buffer][y][x] = row < a.rows && k + x < a.cols ? a(row, k + x) : 0.0f;
    bs[buffer][b_row][thread % 64] =
        k + b_row < b.rows && b_col < b.cols ? b(k + b_row, b_col) : 0.0f;
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      const float left = as[buffer][y][i];
      for (int j = 0; j < 8; ++j) sums[j] += left * bs[buffer][i][x + 8 * j];
    }
  }
  for (int j = 0; j < 8 && row < c.rows; ++j) {
    if (col + 8 * j < c.cols) c(row, col + 8 * j) = sums[j];
  }
}

}  // namespace

void matmul_register_row(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  const dim3 block(8, 64), grid((c.cols + 63) / 64, (c.rows + 63) / 64);
  register_row_kernel<<<grid, block, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch07
