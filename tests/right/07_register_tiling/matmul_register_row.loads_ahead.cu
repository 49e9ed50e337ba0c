// The next step's elements are loaded into registers while this step is multiplied.
#include "07_register_tiling/matmul_register_row.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

__device__ float at(const MatrixView<const float>& m, int row, int col) {
  if (row >= m.rows || col >= m.cols) return 0.0f;
  return m(row, col);
}

__global__ void __launch_bounds__(512)
    register_row_kernel(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  __shared__ float a_tile[8][64 + 4];  // (k, row)
  __shared__ float b_tile[8][64];
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int row = threadIdx.x / 8, col = threadIdx.x % 8;
  const int b_k = threadIdx.x / 64, b_col = threadIdx.x % 64;
  float next_a = at(a, row0 + row, col), next_b = at(b, b_k, col0 + b_col);
  float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
  for (int k0 = 0; k0 < a.cols; k0 += 8) {
    a_tile[col][row] = next_a;
    b_tile[b_k][b_col] = next_b;
    __syncthreads();
    next_a = at(a, row0 + row, k0 + 8 + col);
    next_b = at(b, k0 + 8 + b_k, col0 + b_col);
    for (int k = 0; k < 8; ++k) {
      const float value = a_tile[k][row];
      const float* words = &b_tile[k][col];
      s0 += value * words[0], s1 += value * words[8], s2 += value * words[16];
      s3 += value * words[24], s4 += value * words[32], s5 += value * words[40];
      s6 += value * words[48], s7 += value * words[56];
    }
    __syncthreads();
  }
  const float sums[8] = {s0, s1, s2, s3, s4, s5, s6, s7};
  for (int j = 0; j < 8; ++j) {
    const int to = col0 + col + 8 * j;
    if (row0 + row < c.rows && to < c.cols) c(row0 + row, to) = sums[j];
  }
}

}  // namespace

void matmul_register_row(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  const dim3 grid((c.cols + 63) / 64, (c.rows + 63) / 64);
  register_row_kernel<<<grid, 512, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch07
