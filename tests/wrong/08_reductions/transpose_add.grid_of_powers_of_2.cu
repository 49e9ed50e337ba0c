// fails: launch
// says: up to half of its blocks have no work
// The blocks across are rounded up to a power of 2.
#include "08_reductions/transpose_add.hpp"

#include <bit>

#include "08_reductions/row_part.cuh"
#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch08 {
namespace {

constexpr int THREADS = 256, SIDE = 4;                     // a thread turns SIDE x SIDE elements
constexpr int LANES_X = 8;                                 // of a warp, along a row of a
constexpr int COLS = 32, ROWS = THREADS / LANES_X * SIDE;  // of a, for a block

__global__ void __launch_bounds__(THREADS)
    transpose_add_kernel(MatrixView<const float> a, MatrixView<const float> b,
                         MatrixView<float> out, int log_blocks_x) {
  // A shift and a mask: a division by a number that is known only at run time takes longer than all
  // other instructions of this kernel.
  const unsigned block_row = blockIdx.x >> log_blocks_x;
  const unsigned block_col = blockIdx.x & ((1u << log_blocks_x) - 1u);
  const int row = block_row * ROWS + threadIdx.x / LANES_X * SIDE;  // of a
  const int col = block_col * COLS + threadIdx.x % LANES_X * SIDE;
  if (row >= a.rows || col >= a.cols) return;

  float rows[SIDE][SIDE], sums[SIDE][SIDE];
#pragma unroll
  for (int i = 0; i < SIDE; ++i) {
    load_group(&a(row + i, col), rows[i]);
    load_group(&b(col + i, row), sums[i]);
  }
#pragma unroll
  for (int j = 0; j < SIDE; ++j) {
#pragma unroll
    for (int i = 0; i < SIDE; ++i) sums[j][i] += rows[i][j];
    store_group(&out(col + j, row), sums[j]);
  }
}

}  // namespace

void transpose_add(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out,
                   cudaStream_t stream) {
  require_transposed_shape(a, "a", out, "out");
  require_same_shape(b, "b", out, "out");
  require(has_rows_of_float4(a) && has_rows_of_float4(b) && has_rows_of_float4(out),
          {"a is ", shape_part(a), ", out is ", shape_part(out),
           "; expected sizes and strides that 4 divides, and data at multiples of 16 bytes"});
  const auto blocks_x = static_cast<unsigned>(ceil_div(a.cols, COLS));
  const int log_blocks_x = static_cast<int>(std::bit_width(blocks_x - 1));
  const unsigned blocks = static_cast<unsigned>(ceil_div(a.rows, ROWS)) << log_blocks_x;
  transpose_add_kernel<<<blocks, THREADS, 0, stream>>>(a, b, out, log_blocks_x);
  check_launch();
}

}  // namespace tut::ch08
