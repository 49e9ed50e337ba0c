// Eight warps a block, each with a tile of its own; the stages are theirs.
#include "09_wmma/gemm_wmma.hpp"

#include "09_wmma/fragments.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

constexpr int WARPS = 8;

__global__ void gemm(float alpha, MatrixView<const __half> a, MatrixView<const __half> b,
                     float beta, MatrixView<float> c) {
  __shared__ alignas(32) __half stages[WARPS][TILE][STAGE_STRIDE];
  __shared__ alignas(32) float sums[WARPS][TILE][STAGE_STRIDE];
  const int warp = threadIdx.x / 32, across = ceil_div(c.cols, TILE);
  const int tile = blockIdx.x * WARPS + warp;
  if (tile >= across * ceil_div(c.rows, TILE)) return;
  const int row = tile / across * TILE, col = tile % across * TILE;
  Accumulator product;
  wmma::fill_fragment(product, 0.0f);
  for (int k = 0; k < a.cols; k += TILE) {
    FragmentA<__half> left;
    FragmentB<__half> right;
    load_tile(left, a, row, k, takes_fragments(a), stages[warp]);
    load_tile(right, b, k, col, takes_fragments(b), stages[warp]);
    wmma::mma_sync(product, left, right, product);
  }
  Accumulator result;
  wmma::fill_fragment(result, 0.0f);
  if (beta != 0.0f) load_sum(result, c, row, col, takes_fragments(c), sums[warp]);
  for (int i = 0; i < result.num_elements; ++i) {
    result.x[i] = fmaf(alpha, product.x[i], beta == 0.0f ? 0.0f : beta * result.x[i]);
  }
  store_tile(c, row, col, result, takes_fragments(c), sums[warp]);
}

}  // namespace

void gemm_wmma(float alpha, MatrixView<const __half> a, MatrixView<const __half> b, float beta,
               MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  const int tiles = ceil_div(c.cols, TILE) * ceil_div(c.rows, TILE);
  gemm<<<ceil_div(tiles, WARPS), 32 * WARPS, 0, stream>>>(alpha, a, b, beta, c);
  check_launch();
}

}  // namespace tut::ch09
