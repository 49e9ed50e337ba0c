// The next step's elements wait in registers; the bias is loaded word by word as it is added.
#include "07_register_tiling/linear_relu_register.hpp"

#include "07_register_tiling/access.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

struct Tile {
  alignas(16) float words[16][64 + 4];  // (k, row)

  __device__ void put(int k, int row, float4 v) {
    const float values[4] = {v.x, v.y, v.z, v.w};
    for (int i = 0; i < 4; ++i) words[k + i][row] = values[i];
  }
};

__global__ void kernel(MatrixView<const float> x, MatrixView<const float> w, const float* bias,
                       MatrixView<float> y) {
  __shared__ Tile x_tile, w_tile;
  const int t = threadIdx.x;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int row = t / 2 % 64, k = t / 128 * 8 + t % 2 * 4;
  const auto load = [&](const MatrixView<const float>& m, int from, int k0) {
    return load4(m, from + row, k0 + k, is_float4_accessible(m));
  };
  float4 next_x = load(x, row0, 0), next_w = load(w, col0, 0);
  float sums[16] = {};
  for (int k0 = 0; k0 < x.cols; k0 += 16) {
    x_tile.put(k, row, next_x);
    w_tile.put(k, row, next_w);
    __syncthreads();
    next_x = load(x, row0, k0 + 16);
    next_w = load(w, col0, k0 + 16);
    for (int kk = 0; kk < 16; ++kk) {
      float left[4], right[4];
      read4(&x_tile.words[kk][t / 16 * 4], left);
      read4(&w_tile.words[kk][t % 16 * 4], right);
      for (int e = 0; e < 16; ++e) sums[e] = fmaf(left[e / 4], right[e % 4], sums[e]);
    }
    __syncthreads();
  }
  const int col = col0 + t % 16 * 4;
  float4 b = make_float4(0, 0, 0, 0);
  if (col + 3 < y.cols && reinterpret_cast<std::uintptr_t>(bias) % 16 == 0) {
    b = *reinterpret_cast<const float4*>(bias + col);
  } else {
    if (col < y.cols) b.x = bias[col];
    if (col + 1 < y.cols) b.y = bias[col + 1];
    if (col + 2 < y.cols) b.z = bias[col + 2];
    if (col + 3 < y.cols) b.w = bias[col + 3];
  }
  const auto relu = [](float v) { return v < 0.0f ? 0.0f : v; };
  for (int i = 0; i < 4; ++i) {
    const float* s = &sums[4 * i];
    store4(y, row0 + t / 16 * 4 + i, col,
           make_float4(relu(s[0] + b.x), relu(s[1] + b.y), relu(s[2] + b.z), relu(s[3] + b.w)),
           is_float4_accessible(y));
  }
}

}  // namespace

void linear_relu_register(MatrixView<const float> x, MatrixView<const float> w, const float* bias,
                          MatrixView<float> y, cudaStream_t stream) {
  require_matmul_shapes(x, MatrixView<const float>{w.data, w.cols, w.rows, w.rows}, y);
  kernel<<<dim3((y.cols + 63) / 64, (y.rows + 63) / 64), 256, 0, stream>>>(x, w, bias, y);
  check_launch();
}

}  // namespace tut::ch07
