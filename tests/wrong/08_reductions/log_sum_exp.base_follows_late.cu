// fails: values
// The base of the sums follows only a value that lies far above it: many that do not add up to
// infinity.
#include "08_reductions/log_sum_exp.hpp"

#include "08_reductions/online_sum.cuh"
#include "08_reductions/row_part.cuh"
#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch08 {
namespace {

// Rescaling at every new largest value costs an exponential. A value may lead the base of the sum
// by this much before the base follows it: exp(80) is 6e34, a float holds 3e38.
constexpr float LEAD = 80.0f;

template <int THREADS, int WIDTH>
__global__ void __launch_bounds__(THREADS)
    log_sum_exp_kernel(MatrixView<const float> in, float* out) {
  const float* row = &in(blockIdx.x, 0);

  OnlineSum mine{-INFINITY, 0.0f};  // here `largest` is the base of the sum
  for (std::int64_t j = threadIdx.x * WIDTH; j < in.cols; j += THREADS * WIDTH) {
    float values[WIDTH];
    load_group(row + j, values);
    float largest = values[0];
    for (const float value : values) largest = fmaxf(largest, value);
    if (largest > mine.largest + LEAD) {
      mine = {largest, mine.sum * rescaling(mine.largest, largest)};
    }
    for (const float value : values) mine.sum += rescaling(value, mine.largest);
  }

  const OnlineSum all = block_reduce<THREADS>(mine, JoinOnlineSums());
  if (threadIdx.x == 0) out[blockIdx.x] = all.largest + logf(all.sum);
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
