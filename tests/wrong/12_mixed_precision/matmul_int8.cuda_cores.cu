// fails: budget
// says: products of fragments
// Both tiles lie along k, so a thread can multiply four bytes at once by __dp4a, on CUDA cores.
#include "12_mixed_precision/matmul_int8.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

constexpr int TILE = 64, DEPTH = 32, PITCH = DEPTH + 4, THREADS = 256, SIDE = TILE / 16;

__device__ void stage(MatrixView<const signed char> m, int row0, int col0,
                      signed char (&tile)[TILE][PITCH]) {
  for (int i = threadIdx.x; i < TILE * DEPTH; i += THREADS) {
    const int r = i / DEPTH, k = i % DEPTH;
    const bool inside = row0 + r < m.rows && col0 + k < m.cols;
    tile[r][k] = inside ? m(row0 + r, col0 + k) : static_cast<signed char>(0);
  }
}

__global__ void __launch_bounds__(THREADS)
    matmul_int8_kernel(MatrixView<const signed char> a, MatrixView<const signed char> b,
                       float scale, MatrixView<float> c) {
  __shared__ alignas(16) signed char left[TILE][PITCH], right[TILE][PITCH];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
  int sums[SIDE][SIDE] = {};
  for (int k0 = 0; k0 < a.cols; k0 += DEPTH) {
    stage(a, row0, k0, left);
    stage(b, col0, k0, right);
    __syncthreads();
    for (int k = 0; k < DEPTH; k += 4) {
      for (int i = 0; i < SIDE; ++i) {
        const int four = *reinterpret_cast<const int*>(&left[ty + 16 * i][k]);
        for (int j = 0; j < SIDE; ++j) {
          sums[i][j] =
              __dp4a(four, *reinterpret_cast<const int*>(&right[tx + 16 * j][k]), sums[i][j]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < SIDE; ++i) {
    for (int j = 0; j < SIDE; ++j) {
      const int row = row0 + ty + 16 * i, col = col0 + tx + 16 * j;
      if (row < c.rows && col < c.cols) c(row, col) = scale * static_cast<float>(sums[i][j]);
    }
  }
}

}  // namespace

void matmul_int8(MatrixView<const signed char> a, MatrixView<const signed char> b, float scale,
                 MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, MatrixView<const signed char>{b.data, b.cols, b.rows, b.rows}, c);
  require_matrix(b, "B");
  require(a.cols <= MOST_INT8_PRODUCTS, "K is too large");
  const dim3 grid(ceil_div(c.cols, TILE), ceil_div(c.rows, TILE));
  matmul_int8_kernel<<<grid, THREADS, 0, stream>>>(a, b, scale, c);
  check_launch();
}

}  // namespace tut::ch12
