#include "08_reductions/transpose_add.hpp"

#include "08_reductions/row_part.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch08 {
namespace {

constexpr int THREADS = 256, SIDE = 4;                     // a thread turns SIDE x SIDE elements
constexpr int LANES_X = 8;                                 // of a warp, along a row of a
constexpr int COLS = 32, ROWS = THREADS / LANES_X * SIDE;  // of a, for a block

__global__ void __launch_bounds__(THREADS)
    transpose_add_kernel(MatrixView<const float> a, MatrixView<const float> b,
                         MatrixView<float> out, int blocks_x) {
  int row = blockIdx.x / blocks_x * ROWS;  // of a
  int col = blockIdx.x % blocks_x * COLS;
  //! [hole-place]
  // The first of this thread's rows and columns of a: LANES_X neighbouring threads lie side by
  // side, 4 columns each, and read 128 bytes of a row; the next LANES_X threads are 4 rows further
  // down.
  row += threadIdx.x / LANES_X * SIDE;
  col += threadIdx.x % LANES_X * SIDE;
  //! [hole-place]
  if (row >= a.rows || col >= a.cols) return;

  float rows[SIDE][SIDE], sums[SIDE][SIDE];
  //! [hole-load]
  // load_group(from, to) reads four neighbours: four rows of a into `rows`, and into `sums` what of
  // b belongs to this thread's part of out.
  for (int i = 0; i < SIDE; ++i) load_group(&a(row + i, col), rows[i]);
  for (int j = 0; j < SIDE; ++j) load_group(&b(col + j, row), sums[j]);
  //! [hole-load]

  //! [hole-store]
  // Add the columns of `rows` to the rows of `sums`, and store these by store_group(to, from).
  for (int j = 0; j < SIDE; ++j) {
    for (int i = 0; i < SIDE; ++i) sums[j][i] += rows[i][j];
    store_group(&out(col + j, row), sums[j]);
  }
  //! [hole-store]
}

}  // namespace

void transpose_add(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out,
                   cudaStream_t stream) {
  require_transposed_shape(a, "a", out, "out");
  require_same_shape(b, "b", out, "out");
  require(has_rows_of_float4(a) && has_rows_of_float4(b) && has_rows_of_float4(out),
          {"a is ", shape_part(a), ", out is ", shape_part(out),
           "; expected sizes and strides that 4 divides, and data at multiples of 16 bytes"});
  const int blocks_x = ceil_div(a.cols, COLS);
  const auto blocks =
      static_cast<unsigned>(blocks_x) * static_cast<unsigned>(ceil_div(a.rows, ROWS));
  transpose_add_kernel<<<blocks, THREADS, 0, stream>>>(a, b, out, blocks_x);
  check_launch();
}

}  // namespace tut::ch08
