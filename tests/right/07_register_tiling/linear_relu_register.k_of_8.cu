// A step of 8 along k, two pairs of tiles in turn, and the bias as the sums' first value.
#include "07_register_tiling/linear_relu_register.hpp"

#include "07_register_tiling/access.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

__global__ void __launch_bounds__(256) kernel(MatrixView<const float> x, MatrixView<const float> w,
                                              const float* bias, MatrixView<float> y) {
  __shared__ alignas(16) float xs[2][8][68], ws[2][8][68];  // (k, row)
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float sums[4][4];
  const MatrixView<const float> biases{bias, 1, y.cols, (y.cols + 3) / 4 * 4};
  const float4 first = load4(biases, 0, col0 + 4 * tx, is_float4_accessible(biases));
  for (auto& row : sums) row[0] = first.x, row[1] = first.y, row[2] = first.z, row[3] = first.w;
  int now = 0;
  for (int k0 = 0; k0 < x.cols; k0 += 8, now ^= 1) {
    // Half of the threads bring x, the other half W: two threads a row, four neighbours each.
    const int row = t % 128 / 2, k = t % 2 * 4;
    float(*const tile)[68] = t < 128 ? xs[now] : ws[now];
    const float4 v = t < 128 ? load4(x, row0 + row, k0 + k, is_float4_accessible(x))
                             : load4(w, col0 + row, k0 + k, is_float4_accessible(w));
    tile[k][row] = v.x, tile[k + 1][row] = v.y, tile[k + 2][row] = v.z, tile[k + 3][row] = v.w;
    __syncthreads();
    for (int kk = 0; kk < 8; ++kk) {
      float left[4], right[4];
      read4(&xs[now][kk][4 * ty], left);
      read4(&ws[now][kk][4 * tx], right);
      for (int e = 0; e < 16; ++e) sums[e / 4][e % 4] += left[e / 4] * right[e % 4];
    }
  }
  for (int i = 0; i < 4; ++i) {
    for (float& sum : sums[i]) sum = sum > 0.0f || isnan(sum) ? sum : 0.0f;
    store4(y, row0 + 4 * ty + i, col0 + 4 * tx, as_float4(sums[i]), is_float4_accessible(y));
  }
}

}  // namespace

void linear_relu_register(MatrixView<const float> x, MatrixView<const float> w, const float* bias,
                          MatrixView<float> y, cudaStream_t stream) {
  require_matmul_shapes(x, MatrixView<const float>{w.data, w.cols, w.rows, w.rows}, y);
  const dim3 grid((y.cols + 63) / 64, (y.rows + 63) / 64);
  kernel<<<grid, 256, 0, stream>>>(x, w, bias, y);
  check_launch();
}

}  // namespace tut::ch07
