#include "09_wmma/gemm_wmma.hpp"

#include "09_wmma/fragments.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

__global__ void gemm_wmma_kernel(float alpha, MatrixView<const __half> a,
                                 MatrixView<const __half> b, float beta, MatrixView<float> c) {
  __shared__ alignas(32) __half stage[TILE][STAGE_STRIDE];
  __shared__ alignas(32) float c_stage[TILE][STAGE_STRIDE];
  const int row = blockIdx.y * TILE;  // of the warp's tile of C
  const int col = blockIdx.x * TILE;
  const bool a_direct = takes_fragments(a), b_direct = takes_fragments(b);
  const bool c_direct = takes_fragments(c);

  Accumulator sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < a.cols; k += TILE) {
    FragmentA<__half> a_part;
    FragmentB<__half> b_part;
    load_tile(a_part, a, row, k, a_direct, stage);
    load_tile(b_part, b, k, col, b_direct, stage);
    wmma::mma_sync(sum, a_part, b_part, sum);
  }

  // TODO: Multiply every element of the sum by alpha. This lane holds sum.num_elements of them, in
  // sum.x; it need not know which of the tile's they are.

  // TODO: Unless beta is 0: load this tile of C into a fragment of the same kind (load_sum), and add
  // beta times it. Elements with the same number in two fragments of one kind are the same
  // element of the tile.

  store_tile(c, row, col, sum, c_direct, c_stage);
}

}  // namespace

void gemm_wmma(float alpha, MatrixView<const __half> a, MatrixView<const __half> b, float beta,
               MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);

  const dim3 grid(ceil_div(c.cols, TILE), ceil_div(c.rows, TILE));
  gemm_wmma_kernel<<<grid, 32, 0, stream>>>(alpha, a, b, beta, c);
  check_launch();
}

}  // namespace tut::ch09
