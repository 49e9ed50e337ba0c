// Tiles of 64 x 32, eight fragments of C in a warp.
#include "09_wmma/matmul_wmma_warp_tile.hpp"

#include "09_wmma/fragments.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

// The warp's tile of C at (row, col), of HIGH x WIDE fragments.
template <int HIGH, int WIDE>
__device__ void multiply(MatrixView<const __half> a, MatrixView<const __half> b,
                         MatrixView<float> c, int row, int col, __half (&stage)[TILE][STAGE_STRIDE],
                         float (&sum_stage)[TILE][STAGE_STRIDE]) {
  Accumulator sums[HIGH * WIDE];
  for (int i = 0; i < HIGH * WIDE; ++i) wmma::fill_fragment(sums[i], 0.0f);
  for (int k = 0; k < a.cols; k += TILE) {
    FragmentB<__half> right[WIDE];
    for (int j = 0; j < WIDE; ++j) {
      load_tile(right[j], b, k, col + j * TILE, takes_fragments(b), stage);
    }
    for (int i = 0; i < HIGH; ++i) {
      FragmentA<__half> left;
      load_tile(left, a, row + i * TILE, k, takes_fragments(a), stage);
      for (int j = 0; j < WIDE; ++j) {
        wmma::mma_sync(sums[i * WIDE + j], left, right[j], sums[i * WIDE + j]);
      }
    }
  }
  for (int i = 0; i < HIGH * WIDE; ++i) {
    store_tile(c, row + i / WIDE * TILE, col + i % WIDE * TILE, sums[i], takes_fragments(c),
               sum_stage);
  }
}

__global__ void tall_kernel(MatrixView<const __half> a, MatrixView<const __half> b,
                            MatrixView<float> c) {
  __shared__ alignas(32) __half stage[TILE][STAGE_STRIDE];
  __shared__ alignas(32) float sums[TILE][STAGE_STRIDE];
  multiply<4, 2>(a, b, c, blockIdx.y * 64, blockIdx.x * 32, stage, sums);
}

}  // namespace

void matmul_wmma_warp_tile(MatrixView<const __half> a, MatrixView<const __half> b,
                           MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  tall_kernel<<<dim3(ceil_div(c.cols, 32), ceil_div(c.rows, 64)), 32, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch09
