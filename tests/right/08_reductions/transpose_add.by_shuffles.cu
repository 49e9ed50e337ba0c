// Four lanes turn 4 x 4 elements among themselves, by two shuffles each.
#include "08_reductions/transpose_add.hpp"

#include "08_reductions/row_part.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch08 {
namespace {

constexpr int THREADS = 256, WARP = 32, SIDE = 4;
// Four neighbouring lanes turn 4 x 4 elements between them. A warp has 8 rows and 16 columns of a
// at a time, the eight warps of a block 32 rows and 32 columns, four times.
constexpr int WARP_ROWS = 8, WARP_COLS = 16, WARPS_ACROSS = 2;
constexpr int COLS = WARP_COLS * WARPS_ACROSS;
constexpr int STEP_ROWS = THREADS / WARP / WARPS_ACROSS * WARP_ROWS, STEPS = 4;
constexpr int ROWS = STEP_ROWS * STEPS;

// Lane q of the four has row q before and column q afterwards.
__device__ void turn(float (&v)[SIDE], unsigned four_lanes, int q) {
  // First the 2 x 2 blocks within themselves, then the two that are off the diagonal.
#pragma unroll
  for (int bit = 1; bit < SIDE; bit *= 2) {
    const bool upper = (q & bit) != 0;
#pragma unroll
    for (int i = 0; i < SIDE; ++i) {
      if ((i & bit) != 0) continue;
      const float got = __shfl_xor_sync(four_lanes, upper ? v[i] : v[i + bit], bit);
      if (upper) {
        v[i] = got;
      } else {
        v[i + bit] = got;
      }
    }
  }
}

__global__ void __launch_bounds__(THREADS)
    transpose_add_kernel(MatrixView<const float> a, MatrixView<const float> b,
                         MatrixView<float> out, int blocks_x) {
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  const int q = lane % SIDE, square = lane / SIDE;  // squares of a warp: 4 across, 2 down
  const unsigned four_lanes = 0xFu << (lane - q);

  const int col = static_cast<int>(blockIdx.x % blocks_x) * COLS + warp % WARPS_ACROSS * WARP_COLS +
                  square % (WARP_COLS / SIDE) * SIDE;
  if (col >= a.cols) return;
  int row = static_cast<int>(blockIdx.x / blocks_x) * ROWS + warp / WARPS_ACROSS * WARP_ROWS +
            square / (WARP_COLS / SIDE) * SIDE;

  // The four lanes of a square agree on its row and column: they leave together.
  for (int step = 0; step < STEPS && row < a.rows; ++step, row += STEP_ROWS) {
    float v[SIDE], sums[SIDE];
    load_group(a.data + (row + q) * a.stride + col, v);
    load_group(b.data + (col + q) * b.stride + row, sums);
    turn(v, four_lanes, q);
#pragma unroll
    for (int i = 0; i < SIDE; ++i) sums[i] += v[i];
    store_group(out.data + (col + q) * out.stride + row, sums);
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
  const int blocks_x = ceil_div(a.cols, COLS);
  const auto blocks =
      static_cast<unsigned>(blocks_x) * static_cast<unsigned>(ceil_div(a.rows, ROWS));
  transpose_add_kernel<<<blocks, THREADS, 0, stream>>>(a, b, out, blocks_x);
  check_launch();
}

}  // namespace tut::ch08
