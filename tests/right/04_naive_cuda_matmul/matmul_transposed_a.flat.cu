// One index counts the elements of C row by row, in blocks of 256 threads.
#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch04 {
namespace {

__global__ void transposed_a_kernel(const float* a, std::int64_t lda, const float* b,
                                    std::int64_t ldb, float* c, std::int64_t ldc, int m, int n,
                                    int k) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= std::int64_t{m} * n) return;
  const std::int64_t row = i / n, col = i % n;
  float sum = 0.0f;
  for (int l = 0; l < k; ++l) sum += a[l * lda + row] * b[l * ldb + col];
  c[row * ldc + col] = sum;
}

}  // namespace

void matmul_transposed_a(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  require(a.rows == b.rows && c.rows == a.cols && c.cols == b.cols, "the shapes do not fit");
  const std::int64_t elements = std::int64_t{c.rows} * c.cols;
  const auto blocks = static_cast<unsigned>((elements + 255) / 256);
  transposed_a_kernel<<<blocks, 256, 0, stream>>>(a.data, a.stride, b.data, b.stride, c.data,
                                                  c.stride, c.rows, c.cols, a.rows);
  check_launch();
}

}  // namespace tut::ch04
