// Blocks of 32 x 32; the tile is turned when it is written.
#include "05_shared_memory_tiling/rotate_tiled.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch05 {
namespace {

__global__ void rotate_kernel(MatrixView<const float> in, MatrixView<float> out) {
  __shared__ float tile[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int i = blockIdx.y * 32 + ty, j = blockIdx.x * 32 + tx;
  if (i < in.rows && j < in.cols) tile[tx][31 - ty] = in(i, j);
  __syncthreads();
  const int to_row = blockIdx.x * 32 + ty;
  const int to_col = in.rows - 1 - (blockIdx.y * 32 + 31 - tx);
  if (to_row < out.rows && to_col >= 0) out(to_row, to_col) = tile[ty][tx];
}

}  // namespace

void rotate_tiled(MatrixView<const float> in, MatrixView<float> out, cudaStream_t stream) {
  require_transposed_shape(in, "in", out, "out");
  const dim3 grid((in.cols + 31) / 32, (in.rows + 31) / 32);
  rotate_kernel<<<grid, dim3(32, 32), 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch05
