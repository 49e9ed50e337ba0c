// Blocks of 16 x 16; the views are moved on to the product of the block first.
#include "04_naive_cuda_matmul/matmul_batched.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void batched_kernel(MatrixView<const float> a, std::int64_t a_step,
                               MatrixView<const float> b, std::int64_t b_step, MatrixView<float> c,
                               std::int64_t c_step, [[maybe_unused]] int batch) {
  a.data += blockIdx.z * a_step;
  b.data += blockIdx.z * b_step;
  c.data += blockIdx.z * c_step;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= c.cols || y >= c.rows) return;
  float sum = 0.0f;
  for (int k = 0; k < a.cols; ++k) sum += a(y, k) * b(k, x);
  c(y, x) = sum;
}

}  // namespace

void matmul_batched(MatrixView<const float> a, std::int64_t a_step, MatrixView<const float> b,
                    std::int64_t b_step, MatrixView<float> c, std::int64_t c_step, int batch,
                    cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require(batch >= 0 && batch <= 65535, "a batch has 0 to 65535 products");
  if (batch == 0) return;
  const dim3 grid((c.cols + 15) / 16, (c.rows + 15) / 16, batch);
  const dim3 block(16, 16);
  batched_kernel<<<grid, block, 0, stream>>>(a, a_step, b, b_step, c, c_step, batch);
  check_launch();
}

}  // namespace tut::ch04
