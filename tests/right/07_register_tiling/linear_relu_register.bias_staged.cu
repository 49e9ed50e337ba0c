// The bias goes through shared memory; threads in two dimensions; rows of a thread lie apart.
#include "07_register_tiling/linear_relu_register.hpp"

#include "07_register_tiling/access.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

__global__ void kernel(MatrixView<const float> x, MatrixView<const float> w,
                       MatrixView<const float> bias, MatrixView<float> y) {
  __shared__ alignas(16) float xs[16][64 + 4], ws[16][64 + 4], biases[64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  if (t < 16) {
    const float4 some = load4(bias, 0, col0 + 4 * t, is_float4_accessible(bias));
    *reinterpret_cast<float4*>(&biases[4 * t]) = some;
  }
  float sums[4][4] = {};  // rows ty + 16 i, columns 4 tx + j
  for (int k0 = 0; k0 < x.cols; k0 += 16) {
    // 8 neighbours of each of 16 rows a warp.
    const int row = t / 2 % 64, k = t / 128 * 8 + t % 2 * 4;
    const float4 from_x = load4(x, row0 + row, k0 + k, is_float4_accessible(x));
    const float4 from_w = load4(w, col0 + row, k0 + k, is_float4_accessible(w));
    xs[k][row] = from_x.x, xs[k + 1][row] = from_x.y;
    xs[k + 2][row] = from_x.z, xs[k + 3][row] = from_x.w;
    ws[k][row] = from_w.x, ws[k + 1][row] = from_w.y;
    ws[k + 2][row] = from_w.z, ws[k + 3][row] = from_w.w;
    __syncthreads();
    for (int kk = 0; kk < 16; ++kk) {
      float right[4];
      read4(&ws[kk][4 * tx], right);
      for (int i = 0; i < 4; ++i) {
        const float left = xs[kk][ty + 16 * i];
        for (int j = 0; j < 4; ++j) sums[i][j] += left * right[j];
      }
    }
    __syncthreads();
  }
  float mine[4];
  read4(&biases[4 * tx], mine);
  for (int i = 0; i < 4; ++i) {
    float values[4];
    for (int j = 0; j < 4; ++j) {
      const float value = sums[i][j] + mine[j];
      values[j] = value < 0.0f ? 0.0f : value;
    }
    store4(y, row0 + ty + 16 * i, col0 + 4 * tx, as_float4(values), is_float4_accessible(y));
  }
}

}  // namespace

void linear_relu_register(MatrixView<const float> x, MatrixView<const float> w, const float* bias,
                          MatrixView<float> y, cudaStream_t stream) {
  require_matmul_shapes(x, MatrixView<const float>{w.data, w.cols, w.rows, w.rows}, y);
  const dim3 block(16, 16), grid((y.cols + 63) / 64, (y.rows + 63) / 64);
  const MatrixView<const float> biases{bias, 1, y.cols, (y.cols + 3) / 4 * 4};
  kernel<<<grid, block, 0, stream>>>(x, w, biases, y);
  check_launch();
}

}  // namespace tut::ch07
