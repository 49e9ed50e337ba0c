// A warp computes 32 x 32 elements of C: its lanes load 32 neighbours of A, and hand them round by
// shuffles.
#include "04_naive_cuda_matmul/matmul_transposed_a.hpp"

#include <cooperative_groups.h>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch04 {
namespace {

namespace cg = cooperative_groups;

constexpr int WARP = 32;
constexpr int ROWS = WARP;                     // of C that a warp computes, for 32 columns
constexpr int WARPS = 4, COLS = WARPS * WARP;  // of a block

__global__ void __launch_bounds__(COLS)
    matmul_transposed_a_kernel(MatrixView<const float> a, MatrixView<const float> b,
                               MatrixView<float> c) {
  const auto warp = cg::tiled_partition<WARP>(cg::this_thread_block());
  const int lane = warp.thread_rank();
  const int row0 = blockIdx.y * ROWS;
  const int col = blockIdx.x * COLS + threadIdx.x;
  if (col - lane >= c.cols) return;           // the whole warp
  const bool has_row = row0 + lane < c.rows;  // an element of A to hand round
  const bool has_col = col < c.cols;          // a column of C to compute

  // A lane holds the column of B, and of C; it has the elements of A from the other lanes.
  float sums[ROWS] = {};
  const float* a_from = a.data + row0 + lane;
  const float* b_from = b.data + col;
  for (int k = 0; k < a.rows; ++k) {
    const float a_mine = has_row ? a_from[k * a.stride] : 0.0f;
    const float b_value = has_col ? b_from[k * b.stride] : 0.0f;
#pragma unroll
    for (int i = 0; i < ROWS; ++i) sums[i] += warp.shfl(a_mine, i) * b_value;
  }

  if (!has_col) return;
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    if (row0 + i < c.rows) c(row0 + i, col) = sums[i];
  }
}

}  // namespace

void matmul_transposed_a(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  const MatrixView<const float> a_transposed{a.data, a.cols, a.rows, a.rows};  // shape only
  require_matmul_shapes(a_transposed, b, c);

  const dim3 grid(ceil_div(c.cols, COLS), ceil_div(c.rows, ROWS));
  matmul_transposed_a_kernel<<<grid, COLS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch04
