// No padding: the places in a row of the tile are mixed with its number.
#include "05_shared_memory_tiling/rotate_tiled.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch05 {
namespace {

__global__ void rotate_kernel(MatrixView<const float> in, MatrixView<float> out) {
  __shared__ float tile[32][32];
  const int tx = threadIdx.x;
  for (int ty = threadIdx.y; ty < 32; ty += blockDim.y) {
    const int i = blockIdx.y * 32 + ty, j = blockIdx.x * 32 + tx;
    if (i < in.rows && j < in.cols) tile[ty][tx ^ ty] = in(i, j);
  }
  __syncthreads();
  for (int ty = threadIdx.y; ty < 32; ty += blockDim.y) {
    const int i = blockIdx.y * 32 + tx, j = blockIdx.x * 32 + ty;
    if (i < in.rows && j < in.cols) out(j, in.rows - 1 - i) = tile[tx][ty ^ tx];
  }
}

}  // namespace

void rotate_tiled(MatrixView<const float> in, MatrixView<float> out, cudaStream_t stream) {
  require_transposed_shape(in, "in", out, "out");
  const dim3 grid((in.cols + 31) / 32, (in.rows + 31) / 32);
  rotate_kernel<<<grid, dim3(32, 4), 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch05
