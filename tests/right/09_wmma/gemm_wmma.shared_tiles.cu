// A tile of 32 x 32 a block: four warps share what they stage of A and B, and sums of four steps
// are added in double precision.
#include "09_wmma/gemm_wmma.hpp"

#include "09_wmma/fragments.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

constexpr int SIDE = 32;           // of the block's tile of C, and the depth of a step
constexpr int STRIDE = SIDE + 8;   // 8 rows of 16 bytes lie in 32 banks
constexpr int THREADS = 128;       // 2 x 2 warps
constexpr int STEPS_IN_FLOAT = 4;  // before a sum is added to its total

using HalfTile = __half[SIDE][STRIDE];

/// Copies the tile of `m` at (row0, col0), 0 outside the matrix: a warp a row.
__device__ void stage(HalfTile& tile, const MatrixView<const __half>& m, int row0, int col0) {
  const int c = static_cast<int>(threadIdx.x) % SIDE;
  const bool inside = col0 + c < m.cols;
#pragma unroll
  for (int r = static_cast<int>(threadIdx.x) / SIDE; r < SIDE; r += THREADS / SIDE) {
    __half value = __float2half(0.0f);
    if (inside && row0 + r < m.rows) value = m(row0 + r, col0 + c);
    tile[r][c] = value;
  }
}

__global__ void __launch_bounds__(THREADS)
    gemm_wmma_kernel(float alpha, MatrixView<const __half> a, MatrixView<const __half> b,
                     float beta, MatrixView<float> c) {
  __shared__ alignas(32) HalfTile a_tile;             // (row, k)
  __shared__ alignas(32) HalfTile b_tile;             // (k, col)
  __shared__ alignas(32) float c_tile[SIDE][STRIDE];  // (row, col)
  const int row0 = static_cast<int>(blockIdx.y) * SIDE, col0 = static_cast<int>(blockIdx.x) * SIDE;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp / 2 * TILE, col = warp % 2 * TILE;  // of the warp's part

  Accumulator sum;
  wmma::fill_fragment(sum, 0.0f);
  double total[Accumulator::num_elements];
  for (double& t : total) t = 0.0;
  const auto flush = [&] {
#pragma unroll
    for (int i = 0; i < Accumulator::num_elements; ++i) total[i] += static_cast<double>(sum.x[i]);
    wmma::fill_fragment(sum, 0.0f);
  };

  const int depth = alpha == 0.0f ? 0 : a.cols;
  for (int k0 = 0, step = 1; k0 < depth; k0 += SIDE, ++step) {
    stage(a_tile, a, row0, k0);
    stage(b_tile, b, k0, col0);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SIDE; k += TILE) {
      FragmentA<__half> a_part;
      FragmentB<__half> b_part;
      wmma::load_matrix_sync(a_part, &a_tile[row][k], STRIDE);
      wmma::load_matrix_sync(b_part, &b_tile[k][col], STRIDE);
      wmma::mma_sync(sum, a_part, b_part, sum);
    }
    if (step % STEPS_IN_FLOAT == 0) flush();
    __syncthreads();
  }
  flush();

#pragma unroll
  for (int i = 0; i < Accumulator::num_elements; ++i) {
    sum.x[i] = alpha * static_cast<float>(total[i]);
  }
  wmma::store_matrix_sync(&c_tile[row][col], sum, STRIDE, wmma::mem_row_major);
  __syncthreads();

  const int k = static_cast<int>(threadIdx.x) % SIDE;
  if (col0 + k >= c.cols) return;
  for (int r = static_cast<int>(threadIdx.x) / SIDE; r < SIDE && row0 + r < c.rows;
       r += THREADS / SIDE) {
    float value = c_tile[r][k];
    if (beta != 0.0f) value += beta * c(row0 + r, col0 + k);
    c(row0 + r, col0 + k) = value;
  }
}

}  // namespace

void gemm_wmma(float alpha, MatrixView<const __half> a, MatrixView<const __half> b, float beta,
               MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);

  const dim3 grid(ceil_div(c.cols, SIDE), ceil_div(c.rows, SIDE));
  gemm_wmma_kernel<<<grid, THREADS, 0, stream>>>(alpha, a, b, beta, c);
  check_launch();
}

}  // namespace tut::ch09
