// fails: values
// says: wrote outside of an argument at row
// Stores whole vectors over what lies behind each row, where the stride leaves room.
#include "08_reductions/softmax_backward.hpp"

#include "08_reductions/row_part.cuh"
#include "08_reductions/warp_reduce.cuh"
#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch08 {
namespace {

constexpr int THREADS = 256, LONGEST = 4096;

// Whether all rows begin at multiples of 16 bytes. Their last float4 may be half full: the stride
// has room for it.
template <class T>
bool rows_begin_at_float4(const MatrixView<T>& m) {
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.stride % 4 == 0;
}

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
  Part::each_group(y.cols, t, [&](int col, int group) {
    for (int i = 0; i < Part::WIDTH; ++i) {
      // The last group may reach into the padding, where anything may stand.
      const bool in_row = col + i < y.cols;
      if (in_row) dot += p.values[group][i] * g.values[group][i];
    }
  });
  dot = block_reduce<THREADS>(dot, Add());

  Part::each_group(y.cols, t, [&](int, int group) {
    for (int i = 0; i < Part::WIDTH; ++i) {
      g.values[group][i] = p.values[group][i] * (g.values[group][i] - dot);
    }
  });
  g.store(&d_x(row, 0), y.cols, t);
}

}  // namespace

void softmax_backward(MatrixView<const float> y, MatrixView<const float> d_y, MatrixView<float> d_x,
                      cudaStream_t stream) {
  require_same_shape(y, "y", d_y, "d_y");
  require_same_shape(y, "y", d_x, "d_x");
  require(y.cols <= LONGEST, {"y is ", shape_part(y), "; expected at most 4096 columns"});
  const bool wide =
      rows_begin_at_float4(y) && rows_begin_at_float4(d_y) && rows_begin_at_float4(d_x);
  const auto kernel = wide ? softmax_backward_kernel<RowPart<THREADS, 4, LONGEST / THREADS / 4>>
                           : softmax_backward_kernel<RowPart<THREADS, 1, LONGEST / THREADS>>;
  kernel<<<static_cast<unsigned>(y.rows), THREADS, 0, stream>>>(y, d_y, d_x);
  check_launch();
}

}  // namespace tut::ch08
