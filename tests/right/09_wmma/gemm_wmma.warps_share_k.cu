// Four warps share the steps of k of a tile; threads scale what they have added up.
#include "09_wmma/gemm_wmma.hpp"

#include "09_wmma/fragments.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

constexpr int WARPS = 4;

__global__ void gemm(float alpha, MatrixView<const __half> a, MatrixView<const __half> b,
                     float beta, MatrixView<float> c) {
  __shared__ alignas(32) __half stages[WARPS][TILE][STAGE_STRIDE];
  __shared__ alignas(32) float sums[WARPS][TILE][STAGE_STRIDE];
  const int warp = threadIdx.x / 32, row = blockIdx.y * TILE, col = blockIdx.x * TILE;
  Accumulator product;
  wmma::fill_fragment(product, 0.0f);
  for (int k = warp * TILE; k < a.cols; k += WARPS * TILE) {
    FragmentA<__half> left;
    FragmentB<__half> right;
    load_tile(left, a, row, k, takes_fragments(a), stages[warp]);
    load_tile(right, b, k, col, takes_fragments(b), stages[warp]);
    wmma::mma_sync(product, left, right, product);
  }
  wmma::store_matrix_sync(&sums[warp][0][0], product, STAGE_STRIDE, wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
    // The two rows of a warp lie 2 apart, and share no bank.
    const int r = i / 64 * 4 + i / 16 % 2 * 2 + i / 32 % 2, s = i % TILE;
    if (row + r >= c.rows || col + s >= c.cols) continue;
    float sum = 0.0f;
    for (int w = 0; w < WARPS; ++w) sum += sums[w][r][s];
    float& element = c(row + r, col + s);
    element = beta == 0.0f ? alpha * sum : alpha * sum + beta * element;
  }
}

}  // namespace

void gemm_wmma(float alpha, MatrixView<const __half> a, MatrixView<const __half> b, float beta,
               MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  const dim3 grid(ceil_div(c.cols, TILE), ceil_div(c.rows, TILE));
  gemm<<<grid, 32 * WARPS, 0, stream>>>(alpha, a, b, beta, c);
  check_launch();
}

}  // namespace tut::ch09
