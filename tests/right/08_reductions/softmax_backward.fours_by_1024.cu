// 1024 threads a row, four neighbours each where all rows allow it.
#include "08_reductions/softmax_backward.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

namespace cg = cooperative_groups;

template <class T>
__device__ bool starts_well(const MatrixView<T>& m) {
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.stride % 4 == 0 && m.cols % 4 == 0;
}

__global__ void kernel(MatrixView<const float> y, MatrixView<const float> d_y,
                       MatrixView<float> d_x) {
  __shared__ float parts[32];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const bool wide = starts_well(y) && starts_well(d_y) && starts_well(d_x);
  const int row = blockIdx.x, step = wide ? 1 : 1024, first = wide ? 4 * threadIdx.x : threadIdx.x;
  alignas(16) float p[4] = {}, g[4] = {};
  if (wide && first < y.cols) {
    *reinterpret_cast<float4*>(p) = *reinterpret_cast<const float4*>(&y(row, first));
    *reinterpret_cast<float4*>(g) = *reinterpret_cast<const float4*>(&d_y(row, first));
  }
  for (int i = 0; i < 4 && !wide; ++i) {
    if (first + i * step < y.cols)
      p[i] = y(row, first + i * step), g[i] = d_y(row, first + i * step);
  }
  float dot = cg::reduce(warp, (p[0] * g[0] + p[1] * g[1]) + (p[2] * g[2] + p[3] * g[3]),
                         cg::plus<float>());
  if (warp.thread_rank() == 0) parts[warp.meta_group_rank()] = dot;
  block.sync();
  dot = cg::reduce(warp, parts[warp.thread_rank()], cg::plus<float>());
  for (int i = 0; i < 4; ++i) g[i] = p[i] * (g[i] - dot);
  if (wide && first < y.cols) {
    *reinterpret_cast<float4*>(&d_x(row, first)) = make_float4(g[0], g[1], g[2], g[3]);
  }
  for (int i = 0; i < 4 && !wide; ++i) {
    if (first + i * step < y.cols) d_x(row, first + i * step) = g[i];
  }
}

}  // namespace

void softmax_backward(MatrixView<const float> y, MatrixView<const float> d_y, MatrixView<float> d_x,
                      cudaStream_t stream) {
  require_same_shape(y, "y", d_y, "d_y");
  require_same_shape(y, "y", d_x, "d_x");
  require(y.cols <= 4096, {"y has ", y.cols, " columns; expected at most 4096"});
  kernel<<<y.rows, 1024, 0, stream>>>(y, d_y, d_x);
  check_launch();
}

}  // namespace tut::ch08
