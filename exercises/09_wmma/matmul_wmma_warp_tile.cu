#include "09_wmma/matmul_wmma_warp_tile.hpp"

#include "09_wmma/fragments.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

constexpr int PARTS = 2;  // fragments in each direction of the warp's tile

__global__ void matmul_wmma_warp_tile_kernel(MatrixView<const __half> a, MatrixView<const __half> b,
                                             MatrixView<float> c) {
  __shared__ alignas(32) __half stage[TILE][STAGE_STRIDE];
  __shared__ alignas(32) float c_stage[TILE][STAGE_STRIDE];
  const int row = blockIdx.y * PARTS * TILE;  // of the warp's tile of C, (32, 32)
  const int col = blockIdx.x * PARTS * TILE;
  const bool a_direct = takes_fragments(a), b_direct = takes_fragments(b);
  const bool c_direct = takes_fragments(c);

  Accumulator sums[PARTS][PARTS];  // [i][j]: 16 rows from row + 16 i, 16 columns from col + 16 j
  for (auto& line : sums) {
    for (auto& sum : line) wmma::fill_fragment(sum, 0.0f);
  }
  for (int k = 0; k < a.cols; k += TILE) {
    FragmentA<__half> a_parts[PARTS];
    FragmentB<__half> b_parts[PARTS];
    // TODO: Load the PARTS tiles of A (one below the other) and the PARTS tiles of B (side by side)
    // that this step of k needs, each once, with load_tile.

    // TODO: Add the products to all sums: which tile of A and which tile of B belong to sums[i][j]?
  }

  // TODO: Store the four sums with store_tile, each where it belongs.
}

}  // namespace

void matmul_wmma_warp_tile(MatrixView<const __half> a, MatrixView<const __half> b,
                           MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);

  const dim3 grid(ceil_div(c.cols, PARTS * TILE), ceil_div(c.rows, PARTS * TILE));
  matmul_wmma_warp_tile_kernel<<<grid, 32, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch09
