// A thread computes 8 rows of two columns, which lie 32 apart: 16 elements.
#include "04_naive_cuda_matmul/matmul_batched.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch04 {
namespace {

constexpr int kRows = 8, kCols = 2, kLanes = 32;  // of a thread; of a warp

__global__ void kernel(MatrixView<const float> a, std::int64_t a_step, MatrixView<const float> b,
                       std::int64_t b_step, MatrixView<float> c, std::int64_t c_step) {
  a.data += blockIdx.z * a_step;
  b.data += blockIdx.z * b_step;
  c.data += blockIdx.z * c_step;
  const int row0 = (blockIdx.y * blockDim.y + threadIdx.y) * kRows;
  const int col0 = blockIdx.x * kLanes * kCols + threadIdx.x;
  if (row0 >= c.rows || col0 >= c.cols) return;
  float sums[kRows][kCols] = {};
  for (int k = 0; k < a.cols; ++k) {
    float b_part[kCols];
    for (int j = 0; j < kCols; ++j) {
      const int col = col0 + j * kLanes;
      b_part[j] = col < c.cols ? b(k, col) : 0.0f;
    }
    for (int i = 0; i < kRows && row0 + i < c.rows; ++i) {
      const float a_value = a(row0 + i, k);
      for (int j = 0; j < kCols; ++j) sums[i][j] += a_value * b_part[j];
    }
  }
  for (int i = 0; i < kRows && row0 + i < c.rows; ++i) {
    for (int j = 0; j < kCols; ++j) {
      const int col = col0 + j * kLanes;
      if (col < c.cols) c(row0 + i, col) = sums[i][j];
    }
  }
}

}  // namespace

void matmul_batched(MatrixView<const float> a, std::int64_t a_step, MatrixView<const float> b,
                    std::int64_t b_step, MatrixView<float> c, std::int64_t c_step, int batch,
                    cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  if (batch == 0) return;
  const dim3 grid(ceil_div(c.cols, kLanes * kCols), ceil_div(c.rows, 8 * kRows), batch);
  kernel<<<grid, dim3(kLanes, 8), 0, stream>>>(a, a_step, b, b_step, c, c_step);
  check_launch();
}

}  // namespace tut::ch04
