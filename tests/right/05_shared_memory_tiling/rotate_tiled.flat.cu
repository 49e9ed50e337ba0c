// 256 threads in one dimension; a thread takes its elements of the tile by one loop.
#include "05_shared_memory_tiling/rotate_tiled.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch05 {
namespace {

__global__ void rotate_kernel(MatrixView<const float> in, MatrixView<float> out) {
  __shared__ float tile[32 * 33];
  const int i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
  for (int e = threadIdx.x; e < 1024; e += 256) {
    const int i = i0 + e / 32, j = j0 + e % 32;
    if (i < in.rows && j < in.cols) tile[e / 32 * 33 + e % 32] = in(i, j);
  }
  __syncthreads();
  const int height = min(32, in.rows - i0);
  for (int e = threadIdx.x; e < 1024; e += 256) {
    const int j = j0 + e / 32, back = e % 32;  // from the last row of the tile
    if (j >= in.cols || back >= height) continue;
    out(j, in.rows - i0 - height + back) = tile[(height - 1 - back) * 33 + e / 32];
  }
}

}  // namespace

void rotate_tiled(MatrixView<const float> in, MatrixView<float> out, cudaStream_t stream) {
  require_transposed_shape(in, "in", out, "out");
  const dim3 grid((in.cols + 31) / 32, (in.rows + 31) / 32);
  rotate_kernel<<<grid, 256, 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch05
