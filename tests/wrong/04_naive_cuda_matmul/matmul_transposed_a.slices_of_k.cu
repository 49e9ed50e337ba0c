// fails: budget
// says: a thread computes whole elements of C
// Several blocks share a long K, and add to C by atomics.
#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include <algorithm>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch04 {
namespace {

constexpr int SLICE = 128, MAX_SLICES = 16;  // a gradient's sum is long, and C is small

__global__ void matmul_transposed_a_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                           MatrixView<float> c, int slice_length) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= c.rows || col >= c.cols) return;

  const int begin = blockIdx.z * slice_length;
  const int end = min(begin + slice_length, a.rows);
  float sum = 0.0f;
  for (int k = begin; k < end; ++k) sum += a(k, row) * b(k, col);
  if (gridDim.z == 1) {
    c(row, col) = sum;
  } else {
    atomicAdd(&c(row, col), sum);
  }
}

}  // namespace

void matmul_transposed_a(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  constexpr int BLOCK = 32;
  const MatrixView<const float> a_transposed{a.data, a.cols, a.rows, a.rows};  // shape only
  require_matmul_shapes(a_transposed, b, c);

  const int slice_length = ceil_div(a.rows, std::min(ceil_div(a.rows, SLICE), MAX_SLICES));
  const int slices = ceil_div(a.rows, slice_length);
  if (slices > 1) {
    check(cudaMemset2DAsync(c.data, c.stride * sizeof(float), 0, c.cols * sizeof(float), c.rows,
                            stream));
  }

  const dim3 block(BLOCK, BLOCK);
  const dim3 grid(ceil_div(c.cols, BLOCK), ceil_div(c.rows, BLOCK), slices);
  matmul_transposed_a_kernel<<<grid, block, 0, stream>>>(a, b, c, slice_length);
  check_launch();
}

}  // namespace tut::ch04
