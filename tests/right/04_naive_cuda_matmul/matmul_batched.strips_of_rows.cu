// Eight rows of a column for each thread, in blocks of 128.
#include "04_naive_cuda_matmul/matmul_batched.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch04 {
namespace {

constexpr int THREADS = 128;  // of a block: as many columns
constexpr int STRIP = 8;      // rows of C that each thread computes in its column

template <class T>
__device__ MatrixView<T> matrix_of(MatrixView<T> first, std::int64_t step, unsigned i) {
  return {first.data + i * step, first.rows, first.cols, first.stride};
}

__global__ void matmul_batched_strips_kernel(MatrixView<const float> a0, std::int64_t a_step,
                                             MatrixView<const float> b0, std::int64_t b_step,
                                             MatrixView<float> c0, std::int64_t c_step) {
  const auto a = matrix_of(a0, a_step, blockIdx.z);
  const auto b = matrix_of(b0, b_step, blockIdx.z);
  const auto c = matrix_of(c0, c_step, blockIdx.z);
  const int col = blockIdx.x * THREADS + threadIdx.x;
  const int row = blockIdx.y * STRIP;
  if (col >= c.cols) return;
  const int height = min(STRIP, c.rows - row);

  const float* x = a.data + row * a.stride;
  const float* y = b.data + col;
  float sum[STRIP] = {};
  for (int k = a.cols; k > 0; --k, ++x, y += b.stride) {
    const float factor = *y;
#pragma unroll
    for (int i = 0; i < STRIP; ++i) {
      if (i < height) sum[i] = fmaf(x[i * a.stride], factor, sum[i]);
    }
  }

#pragma unroll
  for (int i = 0; i < STRIP; ++i) {
    if (i < height) c(row + i, col) = sum[i];
  }
}

}  // namespace

void matmul_batched(MatrixView<const float> a, std::int64_t a_step, MatrixView<const float> b,
                    std::int64_t b_step, MatrixView<float> c, std::int64_t c_step, int batch,
                    cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  if (batch == 0) return;

  const dim3 grid(ceil_div(c.cols, THREADS), ceil_div(c.rows, STRIP), batch);
  matmul_batched_strips_kernel<<<grid, THREADS, 0, stream>>>(a, a_step, b, b_step, c, c_step);
  check_launch();
}

}  // namespace tut::ch04
