#include "08_reductions/softmax_online.hpp"

#include "08_reductions/online_sum.cuh"
#include "08_reductions/row_part.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

template <class Part>
__global__ void __launch_bounds__(row_block_threads<Part>())
    softmax_online_kernel(MatrixView<const float> in, MatrixView<float> out) {
  const int t = threadIdx.x;
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= in.rows) return;  // a whole warp

  //! [online]
  Part part;
  part.load(&in(row, 0), in.cols, t, -INFINITY);

  // This thread's largest value, and its exponentials relative to that.
  OnlineSum mine{-INFINITY, 0.0f};
  part.each(t, [&](int, float& value) { mine.largest = fmaxf(mine.largest, value); });
  const float base = exponent_base(mine.largest);
  part.each(t, [&](int, float& value) {
    value = expf(value - base);
    mine.sum += value;
  });

  // One reduction joins the threads. Then each knows by what its exponentials are too large.
  const OnlineSum all = block_reduce<Part::THREADS>(mine, JoinOnlineSums());
  const float factor = rescaling(mine.largest, all.largest) / all.sum;
  part.each(t, [&](int, float& value) { value *= factor; });
  part.store(&out(row, 0), in.cols, t);
  //! [online]
}

// A row that is too long for the registers: read once for the sum, once more for the result.
template <int THREADS, int WIDTH>
__global__ void __launch_bounds__(THREADS)
    softmax_long_kernel(MatrixView<const float> in, MatrixView<float> out) {
  const int first = threadIdx.x * WIDTH;
  const float* row = &in(blockIdx.x, 0);
  float* to = &out(blockIdx.x, 0);

  OnlineSum mine{-INFINITY, 0.0f};
  float values[WIDTH];
  for (std::int64_t j = first; j < in.cols; j += THREADS * WIDTH) {
    load_group(row + j, values);
    float largest = mine.largest;
    for (const float value : values) largest = fmaxf(largest, value);
    const float base = exponent_base(largest);
    mine = {largest, mine.sum * rescaling(mine.largest, largest)};
    for (const float value : values) mine.sum += expf(value - base);
  }
  const OnlineSum all = block_reduce<THREADS>(mine, JoinOnlineSums());
  const float base = exponent_base(all.largest), factor = 1.0f / all.sum;
  for (std::int64_t j = first; j < in.cols; j += THREADS * WIDTH) {
    load_group(row + j, values);
    for (float& value : values) value = expf(value - base) * factor;
    store_group(to + j, values);
  }
}

}  // namespace

void softmax_online(MatrixView<const float> in, MatrixView<float> out, cudaStream_t stream) {
  constexpr int LONG_THREADS = 1024;
  require_same_shape(in, "in", out, "out");
  const bool wide = has_rows_of_float4(in) && has_rows_of_float4(out);
  const bool short_enough = with_row_part(in.cols, wide, [&]<class Part>(std::type_identity<Part>) {
    softmax_online_kernel<Part><<<row_grid<Part>(in.rows), row_block<Part>(), 0, stream>>>(in, out);
  });
  if (!short_enough) {
    const auto kernel =
        wide ? softmax_long_kernel<LONG_THREADS, 4> : softmax_long_kernel<LONG_THREADS, 1>;
    kernel<<<static_cast<unsigned>(in.rows), LONG_THREADS, 0, stream>>>(in, out);
  }
  check_launch();
}

}  // namespace tut::ch08
