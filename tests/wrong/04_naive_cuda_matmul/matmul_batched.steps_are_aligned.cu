// fails: misaligned
// Reads four of a row of A at once where the first matrix and its stride allow it: the others begin
// anywhere.
#include "04_naive_cuda_matmul/matmul_batched.hpp"

#include <cstdint>

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void matmul_batched_kernel(MatrixView<const float> a, std::int64_t a_step,
                                      MatrixView<const float> b, std::int64_t b_step,
                                      MatrixView<float> c, std::int64_t c_step) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;

  const bool fours = reinterpret_cast<std::uintptr_t>(a.data) % 16 == 0 && a.stride % 4 == 0;
  const std::int64_t i = blockIdx.z;
  a.data += i * a_step;
  b.data += i * b_step;
  c.data += i * c_step;

  if (row >= c.rows || col >= c.cols) return;
  float sum = 0.0f;
  int k = 0;
  for (; fours && k + 4 <= a.cols; k += 4) {
    const float4 of_a = *reinterpret_cast<const float4*>(&a(row, k));
    sum += of_a.x * b(k, col);
    sum += of_a.y * b(k + 1, col);
    sum += of_a.z * b(k + 2, col);
    sum += of_a.w * b(k + 3, col);
  }
  for (; k < a.cols; ++k) sum += a(row, k) * b(k, col);
  c(row, col) = sum;
}

}  // namespace

void matmul_batched(MatrixView<const float> a, std::int64_t a_step, MatrixView<const float> b,
                    std::int64_t b_step, MatrixView<float> c, std::int64_t c_step, int batch,
                    cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  if (batch == 0) return;

  const dim3 block(32, 8);
  const dim3 grid(ceil_div(c.cols, 32), ceil_div(c.rows, 8), batch);
  matmul_batched_kernel<<<grid, block, 0, stream>>>(a, a_step, b, b_step, c, c_step);
  check_launch();
}

}  // namespace tut::ch04
