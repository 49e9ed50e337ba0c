// Blocks walk over the products: two are on their way at a time.
#include "04_naive_cuda_matmul/matmul_batched.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void batched_kernel(MatrixView<const float> a, std::int64_t a_step,
                               MatrixView<const float> b, std::int64_t b_step, MatrixView<float> c,
                               std::int64_t c_step, [[maybe_unused]] int batch) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = blockIdx.z; i < batch; i += gridDim.z) {
    if (row >= c.rows || col >= c.cols) continue;
    float sum = 0.0f;
    for (int k = 0; k < a.cols; ++k) {
      sum += a.data[i * a_step + row * a.stride + k] * b.data[i * b_step + k * b.stride + col];
    }
    c.data[i * c_step + row * c.stride + col] = sum;
  }
}

}  // namespace

void matmul_batched(MatrixView<const float> a, std::int64_t a_step, MatrixView<const float> b,
                    std::int64_t b_step, MatrixView<float> c, std::int64_t c_step, int batch,
                    cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require(batch >= 0 && batch <= 65535, "a batch has 0 to 65535 products");
  if (batch == 0) return;
  const dim3 grid((c.cols + 31) / 32, (c.rows + 7) / 8, batch < 2 ? batch : 2);
  const dim3 block(32, 8);
  batched_kernel<<<grid, block, 0, stream>>>(a, a_step, b, b_step, c, c_step, batch);
  check_launch();
}

}  // namespace tut::ch04
