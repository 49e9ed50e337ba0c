// Two pairs of tiles in turn, one barrier a step; threads in two dimensions.
#include "07_register_tiling/matmul_tile_transposed_a.hpp"

#include "07_register_tiling/access.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

__global__ void kernel(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  __shared__ float4 as[2][16][16], bs[2][16][16];
  const int x = threadIdx.x, y = threadIdx.y;  // 16 x 16
  const int row = blockIdx.y * 64, col = blockIdx.x * 64;
  float sums[4][4] = {};
  for (int k = 0, part = 0; k < a.rows; k += 16, part = 1 - part) {
    as[part][y][x] = load4(a, k + y, row + 4 * x, is_float4_accessible(a));
    bs[part][y][x] = load4(b, k + y, col + 4 * x, is_float4_accessible(b));
    __syncthreads();
    for (int i = 0; i < 16; ++i) {
      const float4 left = as[part][i][y], right = bs[part][i][x];
      const float l[4] = {left.x, left.y, left.z, left.w};
      for (int j = 0; j < 4; ++j) {
        sums[j][0] += l[j] * right.x;
        sums[j][1] += l[j] * right.y;
        sums[j][2] += l[j] * right.z;
        sums[j][3] += l[j] * right.w;
      }
    }
  }
  for (int j = 0; j < 4; ++j) {
    store4(c, row + 4 * y + j, col + 4 * x,
           make_float4(sums[j][0], sums[j][1], sums[j][2], sums[j][3]), is_float4_accessible(c));
  }
}

}  // namespace

void matmul_tile_transposed_a(MatrixView<const float> a, MatrixView<const float> b,
                              MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(MatrixView<const float>{a.data, a.cols, a.rows, a.rows}, b, c);
  const dim3 block(16, 16), grid((c.cols + 63) / 64, (c.rows + 63) / 64);
  kernel<<<grid, block, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch07
