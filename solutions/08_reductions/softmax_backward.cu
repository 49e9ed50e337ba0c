#include "08_reductions/softmax_backward.hpp"

#include "08_reductions/row_part.cuh"
#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

constexpr int THREADS = 256, LONGEST = 4096;

template <class Part>
__global__ void __launch_bounds__(THREADS)
    softmax_backward_kernel(MatrixView<const float> y, MatrixView<const float> d_y,
                            MatrixView<float> d_x) {
  const int t = threadIdx.x;
  const int row = blockIdx.x;

  Part p, g;  // of y, and of d_y
  p.load(&y(row, 0), y.cols, t, 0.0f);
  g.load(&d_y(row, 0), y.cols, t, 0.0f);

  float dot = 0.0f;
  //! [hole-dot]
  // The sum over the row of y * d_y, in every thread. Part::each_group(cols, t, f) calls f(col,
  // group) for the groups of this thread that the row has; their values are p.values[group][i],
  // with i below Part::WIDTH, and g.values[group][i]. Then the threads of the block join their
  // sums.
  Part::each_group(y.cols, t, [&](int, int group) {
    for (int i = 0; i < Part::WIDTH; ++i) dot += p.values[group][i] * g.values[group][i];
  });
  dot = block_reduce<THREADS>(dot, Add());
  //! [hole-dot]

  //! [hole-gradient]
  // Turn the values of g into the gradient, and store them to the row of d_x. Memory need not be
  // read again.
  Part::each_group(y.cols, t, [&](int, int group) {
    for (int i = 0; i < Part::WIDTH; ++i) {
      g.values[group][i] = p.values[group][i] * (g.values[group][i] - dot);
    }
  });
  g.store(&d_x(row, 0), y.cols, t);
  //! [hole-gradient]
}

}  // namespace

void softmax_backward(MatrixView<const float> y, MatrixView<const float> d_y, MatrixView<float> d_x,
                      cudaStream_t stream) {
  require_same_shape(y, "y", d_y, "d_y");
  require_same_shape(y, "y", d_x, "d_x");
  require(y.cols <= LONGEST, {"y is ", shape_part(y), "; expected at most 4096 columns"});
  const bool wide = has_rows_of_float4(y) && has_rows_of_float4(d_y) && has_rows_of_float4(d_x);
  const auto kernel = wide ? softmax_backward_kernel<RowPart<THREADS, 4, LONGEST / THREADS / 4>>
                           : softmax_backward_kernel<RowPart<THREADS, 1, LONGEST / THREADS>>;
  kernel<<<static_cast<unsigned>(y.rows), THREADS, 0, stream>>>(y, d_y, d_x);
  check_launch();
}

}  // namespace tut::ch08
