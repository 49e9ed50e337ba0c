// Tiles of 64 x 64, 4 x 4 elements of C a thread, which lie 16 apart: 256 threads a block.
#include "05_shared_memory_tiling/matmul_padded.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch05 {
namespace {

constexpr int SIDE = 64, STEP = 32, EACH = 4, THREADS = 16;

__global__ void kernel(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  __shared__ float a_tile[STEP][SIDE + 1], b_tile[STEP][SIDE];
  const int tx = threadIdx.x, ty = threadIdx.y, thread = ty * THREADS + tx;
  const int row0 = blockIdx.y * SIDE, col0 = blockIdx.x * SIDE;
  float sums[EACH][EACH] = {};
  for (int k0 = 0; k0 < a.cols; k0 += STEP) {
    for (int i = thread; i < SIDE * STEP; i += THREADS * THREADS) {
      const int row = row0 + i / STEP, a_k = i % STEP, col = col0 + i % SIDE, b_k = i / SIDE;
      a_tile[a_k][i / STEP] = row < a.rows && k0 + a_k < a.cols ? a(row, k0 + a_k) : 0.0f;
      b_tile[b_k][i % SIDE] = k0 + b_k < b.rows && col < b.cols ? b(k0 + b_k, col) : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < STEP; ++k) {
      for (int i = 0; i < EACH; ++i) {
        for (int j = 0; j < EACH; ++j) {
          sums[i][j] += a_tile[k][ty + i * THREADS] * b_tile[k][tx + j * THREADS];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < EACH; ++i) {
    for (int j = 0; j < EACH; ++j) {
      const int row = row0 + ty + i * THREADS, col = col0 + tx + j * THREADS;
      if (row < c.rows && col < c.cols) c(row, col) = sums[i][j];
    }
  }
}

}  // namespace

void matmul_padded(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                   cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  const dim3 grid(ceil_div(c.cols, SIDE), ceil_div(c.rows, SIDE));
  kernel<<<grid, dim3(THREADS, THREADS), 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch05
