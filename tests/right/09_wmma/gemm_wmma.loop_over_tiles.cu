// At most 40 blocks go from tile to tile; a kernel for each kind of beta.
#include "09_wmma/gemm_wmma.hpp"

#include <algorithm>

#include "09_wmma/fragments.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

template <bool READS_C>
__global__ void gemm(float alpha, MatrixView<const __half> a, MatrixView<const __half> b,
                     float beta, MatrixView<float> c) {
  __shared__ alignas(32) __half stage[TILE][STAGE_STRIDE];
  __shared__ alignas(32) float sums[TILE][STAGE_STRIDE];
  const int down = ceil_div(c.rows, TILE), tiles = down * ceil_div(c.cols, TILE);
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int row = tile % down * TILE, col = tile / down * TILE;
    Accumulator sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < a.cols; k += TILE) {
      FragmentA<__half> left;
      FragmentB<__half> right;
      load_tile(right, b, k, col, takes_fragments(b), stage);
      load_tile(left, a, row, k, takes_fragments(a), stage);
      wmma::mma_sync(sum, left, right, sum);
    }
    Accumulator old;
    if (READS_C) load_sum(old, c, row, col, takes_fragments(c), sums);
    for (int i = 0; i < sum.num_elements; ++i) {
      sum.x[i] = alpha * sum.x[i];
      if (READS_C) sum.x[i] += beta * old.x[i];
    }
    store_tile(c, row, col, sum, takes_fragments(c), sums);
  }
}

}  // namespace

void gemm_wmma(float alpha, MatrixView<const __half> a, MatrixView<const __half> b, float beta,
               MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  const int tiles = ceil_div(c.cols, TILE) * ceil_div(c.rows, TILE);
  const auto kernel = beta == 0.0f ? gemm<false> : gemm<true>;
  kernel<<<std::min(tiles, 40), 32, 0, stream>>>(alpha, a, b, beta, c);
  check_launch();
}

}  // namespace tut::ch09
