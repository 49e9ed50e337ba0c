// Sixteen values a thread in registers: four neighbours at a time where all rows allow it.
#include "08_reductions/softmax_backward.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

template <class T>
bool has_whole_fours(const MatrixView<T>& m) {
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.stride % 4 == 0 && m.cols % 4 == 0;
}

// Copies four neighbours, in one access or in four.
template <bool WIDE>
__device__ void copy_four(float* to, const float* from, int left) {
  if (WIDE) {
    *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from);
  } else {
    for (int i = 0; i < 4 && i < left; ++i) to[i] = from[i];
  }
}

template <bool WIDE>
__global__ void __launch_bounds__(256)
    kernel(MatrixView<const float> y, MatrixView<const float> d_y, MatrixView<float> d_x) {
  __shared__ float sums[256];
  const int row = blockIdx.x, t = threadIdx.x;
  alignas(16) float p[4][4] = {}, g[4][4] = {};
  float dot = 0.0f;
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    const int j = (part * 256 + t) * 4;
    if (j >= y.cols) continue;
    copy_four<WIDE>(p[part], &y(row, j), y.cols - j);
    copy_four<WIDE>(g[part], &d_y(row, j), y.cols - j);
    for (int i = 0; i < 4; ++i) dot += p[part][i] * g[part][i];
  }
  sums[t] = dot;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    const int j = (part * 256 + t) * 4;
    if (j >= y.cols) continue;
    for (int i = 0; i < 4; ++i) g[part][i] = p[part][i] * (g[part][i] - sums[0]);
    copy_four<WIDE>(&d_x(row, j), g[part], y.cols - j);
  }
}

}  // namespace

void softmax_backward(MatrixView<const float> y, MatrixView<const float> d_y, MatrixView<float> d_x,
                      cudaStream_t stream) {
  require_same_shape(y, "y", d_y, "d_y");
  require_same_shape(y, "y", d_x, "d_x");
  require(y.cols <= 4096, {"y has ", y.cols, " columns; expected at most 4096"});
  const bool wide = has_whole_fours(y) && has_whole_fours(d_y) && has_whole_fours(d_x);
  const auto chosen = wide ? kernel<true> : kernel<false>;
  chosen<<<y.rows, 256, 0, stream>>>(y, d_y, d_x);
  check_launch();
}

}  // namespace tut::ch08
