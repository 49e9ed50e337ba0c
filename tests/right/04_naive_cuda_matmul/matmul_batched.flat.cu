// A warp takes 32 neighbours of a row, by one index over all products and elements.
#include "04_naive_cuda_matmul/matmul_batched.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void batched_kernel(MatrixView<const float> a, std::int64_t a_step,
                               MatrixView<const float> b, std::int64_t b_step, MatrixView<float> c,
                               std::int64_t c_step, [[maybe_unused]] int batch) {
  const std::int64_t size = std::int64_t{c.rows} * c.cols;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size * batch) return;
  const std::int64_t product = i / size;
  const int row = static_cast<int>(i % size / c.cols);
  const int col = static_cast<int>(i % size % c.cols);
  const float* const from_a = a.data + product * a_step + row * a.stride;
  const float* const from_b = b.data + product * b_step + col;
  float sum = 0.0f;
  for (int k = 0; k < a.cols; ++k) sum += from_a[k] * from_b[k * b.stride];
  c.data[product * c_step + row * c.stride + col] = sum;
}

}  // namespace

void matmul_batched(MatrixView<const float> a, std::int64_t a_step, MatrixView<const float> b,
                    std::int64_t b_step, MatrixView<float> c, std::int64_t c_step, int batch,
                    cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require(batch >= 0 && batch <= 65535, "a batch has 0 to 65535 products");
  if (batch == 0) return;
  const std::int64_t elements = std::int64_t{batch} * c.rows * c.cols;
  const dim3 grid(static_cast<unsigned>((elements + 255) / 256));
  const dim3 block(256);
  batched_kernel<<<grid, block, 0, stream>>>(a, a_step, b, b_step, c, c_step, batch);
  check_launch();
}

}  // namespace tut::ch04
