// At most 1024 layers go through the products, one after the other.
#include "04_naive_cuda_matmul/matmul_batched.hpp"

#include <algorithm>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch04 {
namespace {

constexpr int MOST_LAYERS = 1024;

__global__ void matmul_batched_kernel(MatrixView<const float> a, std::int64_t a_step,
                                      MatrixView<const float> b, std::int64_t b_step,
                                      MatrixView<float> c, std::int64_t c_step, int batch) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= c.rows || col >= c.cols) return;

  for (std::int64_t i = blockIdx.z; i < batch; i += gridDim.z) {
    const float* a_row = a.data + i * a_step + row * a.stride;
    const float* b_col = b.data + i * b_step + col;
    float sum = 0.0f;
    for (int k = 0; k < a.cols; ++k) sum = fmaf(a_row[k], b_col[k * b.stride], sum);
    c.data[i * c_step + row * c.stride + col] = sum;
  }
}

}  // namespace

void matmul_batched(MatrixView<const float> a, std::int64_t a_step, MatrixView<const float> b,
                    std::int64_t b_step, MatrixView<float> c, std::int64_t c_step, int batch,
                    cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  if (batch == 0) return;

  const dim3 block(32, 8);
  const dim3 grid(ceil_div(c.cols, 32), ceil_div(c.rows, 8), std::min(batch, MOST_LAYERS));
  matmul_batched_kernel<<<grid, block, 0, stream>>>(a, a_step, b, b_step, c, c_step, batch);
  check_launch();
}

}  // namespace tut::ch04
