// A warp takes a row, which waits in shared memory; four neighbours at a time where rows allow it.
#include "08_reductions/softmax_backward.hpp"

#include "08_reductions/row_part.cuh"
#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

constexpr int LONGEST = 4096;

template <int WIDTH>
__global__ void __launch_bounds__(32)
    backward_kernel(MatrixView<const float> y, MatrixView<const float> d_y, MatrixView<float> d_x) {
  __shared__ alignas(16) float p[LONGEST], g[LONGEST];
  const int row = blockIdx.x;
  float dot = 0.0f;
  for (int j = threadIdx.x * WIDTH; j < y.cols; j += 32 * WIDTH) {
    float a[WIDTH], b[WIDTH], products = 0.0f;
    load_group(&y(row, j), a);
    load_group(&d_y(row, j), b);
    for (int i = 0; i < WIDTH; ++i) products += a[i] * b[i];
    dot += products;
    store_group(&p[j], a);
    store_group(&g[j], b);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) dot += __shfl_xor_sync(0xFFFFFFFF, dot, lanes);
  for (int j = threadIdx.x * WIDTH; j < y.cols; j += 32 * WIDTH) {
    float a[WIDTH], b[WIDTH];
    load_group(&p[j], a);
    load_group(&g[j], b);
    for (int i = 0; i < WIDTH; ++i) b[i] = a[i] * (b[i] - dot);
    store_group(&d_x(row, j), b);
  }
}

}  // namespace

void softmax_backward(MatrixView<const float> y, MatrixView<const float> d_y, MatrixView<float> d_x,
                      cudaStream_t stream) {
  require_same_shape(y, "y", d_y, "d_y");
  require_same_shape(y, "y", d_x, "d_x");
  require(y.cols <= LONGEST, {"y is ", shape_part(y), "; expected at most 4096 columns"});
  const bool wide = has_rows_of_float4(y) && has_rows_of_float4(d_y) && has_rows_of_float4(d_x);
  const auto kernel = wide ? backward_kernel<4> : backward_kernel<1>;
  kernel<<<static_cast<unsigned>(y.rows), 32, 0, stream>>>(y, d_y, d_x);
  check_launch();
}

}  // namespace tut::ch08
