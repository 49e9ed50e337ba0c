// Both tiles lie in dynamic shared memory; the addresses in A and B are computed before the loop.
#include "05_shared_memory_tiling/matmul_rectangular.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch05 {
namespace {

__global__ void matmul_rectangular_kernel(MatrixView<const float> a, MatrixView<const float> b,
                                          MatrixView<float> c) {
  extern __shared__ float tiles[];
  float* const a_tile = tiles;
  float* const b_tile = tiles + 8 * 32;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 8 + ty, col = blockIdx.x * 32 + tx;
  const bool row_inside = row < a.rows, col_inside = col < b.cols;
  const float* from_a = a.data + (row_inside ? row : 0) * a.stride + tx;
  const float* from_b = b.data + (col_inside ? col : 0) + ty * b.stride;
  float sum = 0.0f;
  for (int left = a.cols; left > 0; left -= 32) {
    a_tile[ty * 32 + tx] = row_inside && tx < left ? *from_a : 0.0f;
    for (int k = 0; k < 32; k += 8) {
      b_tile[(ty + k) * 32 + tx] = col_inside && ty + k < left ? from_b[k * b.stride] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum = fmaf(a_tile[ty * 32 + k], b_tile[k * 32 + tx], sum);
    __syncthreads();
    from_a += 32;
    from_b += 32 * b.stride;
  }
  if (row_inside && col_inside) c(row, col) = sum;
}

}  // namespace

void matmul_rectangular(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                        cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  matmul_rectangular_kernel<<<dim3((c.cols + 31) / 32, (c.rows + 7) / 8), dim3(32, 8),
                              40 * 32 * sizeof(float), stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch05
