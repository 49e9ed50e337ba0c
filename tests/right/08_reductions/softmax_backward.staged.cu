// Rows wait in dynamic shared memory, in float4 where all rows consist of them.
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

__device__ float product(float a, float b) { return a * b; }
__device__ float product(float4 a, float4 b) {
  return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}
__device__ float gradient(float p, float g, float dot) { return p * (g - dot); }
__device__ float4 gradient(float4 p, float4 g, float dot) {
  return make_float4(gradient(p.x, g.x, dot), gradient(p.y, g.y, dot), gradient(p.z, g.z, dot),
                     gradient(p.w, g.w, dot));
}

// T: what is read and written at a time.
template <class T>
__global__ void kernel(MatrixView<const float> y, MatrixView<const float> d_y,
                       MatrixView<float> d_x) {
  extern __shared__ float4 memory[];
  __shared__ float parts[8];
  const int row = blockIdx.x, count = y.cols / static_cast<int>(sizeof(T) / sizeof(float));
  T *const p = reinterpret_cast<T*>(memory), *const g = p + count;
  float dot = 0.0f;
  for (int j = threadIdx.x; j < count; j += blockDim.x) {
    p[j] = reinterpret_cast<const T*>(&y(row, 0))[j];
    g[j] = reinterpret_cast<const T*>(&d_y(row, 0))[j];
    dot += product(p[j], g[j]);
  }
  for (int step = 16; step > 0; step /= 2) dot += __shfl_down_sync(0xffffffff, dot, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = dot;
  __syncthreads();
  dot = 0.0f;
  for (const float part : parts) dot += part;
  for (int j = threadIdx.x; j < count; j += blockDim.x) {
    reinterpret_cast<T*>(&d_x(row, 0))[j] = gradient(p[j], g[j], dot);
  }
}

}  // namespace

void softmax_backward(MatrixView<const float> y, MatrixView<const float> d_y, MatrixView<float> d_x,
                      cudaStream_t stream) {
  require_same_shape(y, "y", d_y, "d_y");
  require_same_shape(y, "y", d_x, "d_x");
  require(y.cols <= 4096, {"y has ", y.cols, " columns; expected at most 4096"});
  const bool wide = has_whole_fours(y) && has_whole_fours(d_y) && has_whole_fours(d_x);
  const auto chosen = wide ? kernel<float4> : kernel<float>;
  chosen<<<y.rows, 256, 2 * y.cols * sizeof(float), stream>>>(y, d_y, d_x);
  check_launch();
}

}  // namespace tut::ch08
