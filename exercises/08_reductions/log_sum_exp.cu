#include "08_reductions/log_sum_exp.hpp"

#include "08_reductions/online_sum.cuh"
#include "08_reductions/row_part.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

template <int THREADS, int WIDTH>
__global__ void __launch_bounds__(THREADS)
    log_sum_exp_kernel(MatrixView<const float> in, float* out) {
  const float* row = &in(blockIdx.x, 0);

  OnlineSum mine{-INFINITY, 0.0f};
  for (std::int64_t j = threadIdx.x * WIDTH; j < in.cols; j += THREADS * WIDTH) {
    float values[WIDTH];
    load_group(row + j, values);
    // TODO: Find the largest of mine.largest and the new values. Make `mine` a sum relative to that:
    // multiply the old sum by rescaling(from, to) of online_sum.cuh. Then add exp(value - largest)
    // of each new value. rescaling() computes that as well, and knows what to do with two equal
    // infinities.
  }

  // TODO: Join the sums of the block's threads. One of them writes the logarithm.
}

}  // namespace

void log_sum_exp(MatrixView<const float> in, std::span<float> out, cudaStream_t stream) {
  constexpr int THREADS = 256;
  require_matrix(in, "in");
  require_same_size(out.size(), "out", in.rows, "a column of in");
  const auto kernel =
      has_rows_of_float4(in) ? log_sum_exp_kernel<THREADS, 4> : log_sum_exp_kernel<THREADS, 1>;
  kernel<<<static_cast<unsigned>(in.rows), THREADS, 0, stream>>>(in, out.data());
  check_launch();
}

}  // namespace tut::ch08
