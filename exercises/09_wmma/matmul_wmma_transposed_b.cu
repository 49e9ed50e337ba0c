#include "09_wmma/matmul_wmma_transposed_b.hpp"

#include "09_wmma/fragments.hpp"
#include "09_wmma/staging.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

template <int BM, int BN, int BK>
__global__ void __launch_bounds__(BM / TILE * BN / TILE * 32)
    matmul_wmma_transposed_b_kernel(MatrixView<const __half> a, MatrixView<const __half> b,
                                    MatrixView<float> c) {
  constexpr int WARPS_ACROSS = BN / TILE;
  constexpr int WARPS = BM / TILE * WARPS_ACROSS, THREADS = 32 * WARPS;
  __shared__ alignas(32) __half a_tile[BM][BK + PAD];  // (row of A, k)
  // TODO: Declare b_tile, aligned as a_tile. It keeps B's tile as it lies in memory: its first index
  // is the row of B, which is the column of C, its second is k. Eight of its rows must begin in
  // different banks.
  __shared__ alignas(32) float c_stage[WARPS][TILE][STAGE_STRIDE];
  const int warp = threadIdx.x / 32;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
  const int row = warp / WARPS_ACROSS * TILE;                // of the warp's tile in it
  const int col = warp % WARPS_ACROSS * TILE;
  const bool a_vectors = is_float4_accessible(a), b_vectors = is_float4_accessible(b);

  Accumulator sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k0 = 0; k0 < a.cols; k0 += BK) {
    stage_tile<THREADS, BK>(a, row0, k0, a_vectors, a_tile);
    // TODO: Stage B's tile with stage_tile: how many of its columns, and from which row and column of
    // B? Then the barrier.

    for (int k = 0; k < BK; k += TILE) {
      FragmentA<__half> a_part;
      wmma::load_matrix_sync(a_part, &a_tile[row][k], BK + PAD);
      // TODO: Load the warp's part of B's tile into a fragment of B that is stored column by column
      // (wmma::col_major): where does it begin, and how far apart are its columns? Add the
      // product to sum.
    }
    __syncthreads();
  }
  store_tile(c, row0 + row, col0 + col, sum, takes_fragments(c), c_stage[warp]);
}

}  // namespace

void matmul_wmma_transposed_b(MatrixView<const __half> a, MatrixView<const __half> b,
                              MatrixView<float> c, cudaStream_t stream) {
  constexpr int BM = 64, BN = 64, BK = 32;
  const MatrixView<const __half> b_transposed{b.data, b.cols, b.rows, b.rows};  // shape only
  require_matmul_shapes(a, b_transposed, c);
  require_matrix(b, "B");

  constexpr int THREADS = BM / TILE * BN / TILE * 32;
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_wmma_transposed_b_kernel<BM, BN, BK><<<grid, THREADS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch09
