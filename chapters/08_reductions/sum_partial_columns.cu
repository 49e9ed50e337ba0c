#include "08_reductions/sum_partial_columns.hpp"

#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch08 {
namespace {

// Adds up the columns of `partial`, (blocks, width): the first `cols` are d_scale, the others
// d_shift.
template <int TILE>
__global__ void sum_partial_columns_kernel(MatrixView<const float> partial, float* d_scale,
                                           float* d_shift, int cols) {
  __shared__ float sums[TILE][TILE];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int col = blockIdx.x * TILE + tx;

  float sum = 0.0f;
  if (col < partial.cols) {
    for (int row = ty; row < partial.rows; row += TILE) sum += partial(row, col);
  }
  sums[ty][tx] = sum;
  __syncthreads();
  for (int step = TILE / 2; step > 0; step /= 2) {
    if (ty < step) sums[ty][tx] += sums[ty + step][tx];
    __syncthreads();
  }
  if (ty == 0 && col < partial.cols) {
    (col < cols ? d_scale[col] : d_shift[col - cols]) = sums[0][tx];
  }
}

}  // namespace

void sum_partial_columns(MatrixView<const float> partial, int cols, float* d_scale, float* d_shift,
                         cudaStream_t stream) {
  constexpr int TILE = 32;
  const auto blocks = static_cast<unsigned>(ceil_div(partial.cols, TILE));
  sum_partial_columns_kernel<TILE>
      <<<blocks, dim3(TILE, TILE), 0, stream>>>(partial, d_scale, d_shift, cols);
  check_launch();
}

}  // namespace tut::ch08
