// fails: launch
// says: the grid stops growing at
// At most 32768 blocks are launched, and each computes one row.
#include "08_reductions/softmax_backward.hpp"

#include <algorithm>

#include "08_reductions/row_part.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

constexpr int THREADS = 256, LONGEST = 4096, MOST_BLOCKS = 1 << 15;

/// The sum over the block, in every thread; all threads make the call.
__device__ float sum_of_block(float value, float (&parts)[THREADS]) {
  const int t = threadIdx.x;
  parts[t] = value;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (t < step) parts[t] += parts[t + step];
    __syncthreads();
  }
  return parts[0];
}

template <class Part>
__global__ void __launch_bounds__(THREADS)
    softmax_backward_kernel(MatrixView<const float> y, MatrixView<const float> d_y,
                            MatrixView<float> d_x) {
  __shared__ float parts[THREADS];
  const int t = threadIdx.x;

  const int row = blockIdx.x;
  Part p, g;
  p.load(&y(row, 0), y.cols, t, 0.0f);
  g.load(&d_y(row, 0), y.cols, t, 0.0f);

  float sums[Part::WIDTH] = {};
  Part::each_group(y.cols, t, [&](int, int group) {
#pragma unroll
    for (int i = 0; i < Part::WIDTH; ++i) {
      sums[i] = fmaf(p.values[group][i], g.values[group][i], sums[i]);
    }
  });
  float mine = 0.0f;
#pragma unroll
  for (int i = 0; i < Part::WIDTH; ++i) mine += sums[i];
  const float dot = sum_of_block(mine, parts);

  Part::each_group(y.cols, t, [&](int, int group) {
#pragma unroll
    for (int i = 0; i < Part::WIDTH; ++i) {
      g.values[group][i] = p.values[group][i] * (g.values[group][i] - dot);
    }
  });
  g.store(&d_x(row, 0), y.cols, t);
}

template <class Part>
void launch(MatrixView<const float> y, MatrixView<const float> d_y, MatrixView<float> d_x,
            cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(std::min(y.rows, MOST_BLOCKS));
  softmax_backward_kernel<Part><<<blocks, THREADS, 0, stream>>>(y, d_y, d_x);
  check_launch();
}

}  // namespace

void softmax_backward(MatrixView<const float> y, MatrixView<const float> d_y, MatrixView<float> d_x,
                      cudaStream_t stream) {
  require_same_shape(y, "y", d_y, "d_y");
  require_same_shape(y, "y", d_x, "d_x");
  require(y.cols <= LONGEST, {"y is ", shape_part(y), "; expected at most 4096 columns"});
  if (has_rows_of_float4(y) && has_rows_of_float4(d_y) && has_rows_of_float4(d_x)) {
    launch<RowPart<THREADS, 4, LONGEST / THREADS / 4>>(y, d_y, d_x, stream);
  } else {
    launch<RowPart<THREADS, 1, LONGEST / THREADS>>(y, d_y, d_x, stream);
  }
}

}  // namespace tut::ch08
