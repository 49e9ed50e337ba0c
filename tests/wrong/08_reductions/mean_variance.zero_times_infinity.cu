// fails: values
// The mean of nothing counts with weight 0, which the square of a large distance turns into NaN.
#include "08_reductions/mean_variance.hpp"

#include "08_reductions/row_part.cuh"
#include "08_reductions/warp_reduce.cuh"
#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch08 {
namespace {

/// What is known of some values.
struct Moments {
  float count, mean, squares;  ///< squares: the sum of squared distances from the mean
};

__device__ Moments shuffle_xor(const Moments& value, int step) {
  return {ch08::shuffle_xor(value.count, step), ch08::shuffle_xor(value.mean, step),
          ch08::shuffle_xor(value.squares, step)};
}

struct JoinMoments {
  __device__ Moments operator()(const Moments& a, const Moments& b) const {
    const float count = a.count + b.count, d = b.mean - a.mean;
    if (count == 0.0f) return a;  // nothing and nothing
    // If one of them has seen nothing, its weight is 0.
    const float share = b.count / count;
    return {count, a.mean + d * share, a.squares + b.squares + d * d * (a.count * share)};
  }
};

template <int WIDTH>
__device__ Moments moments_of(const float (&values)[WIDTH]) {
  Moments group{WIDTH, 0.0f, 0.0f};
  for (const float value : values) group.mean += value * (1.0f / WIDTH);
  for (const float value : values) {
    const float d = value - group.mean;
    group.squares += d * d;
  }
  return group;
}

template <int THREADS, int WIDTH>
__global__ void __launch_bounds__(THREADS)
    mean_variance_kernel(MatrixView<const float> in, float* mean, float* variance) {
  const float* row = &in(blockIdx.x, 0);
  Moments mine{0.0f, 0.0f, 0.0f};
  for (std::int64_t j = threadIdx.x * WIDTH; j < in.cols; j += THREADS * WIDTH) {
    float values[WIDTH];
    load_group(row + j, values);
    mine = JoinMoments()(mine, moments_of(values));
  }
  const Moments all = block_reduce<THREADS>(mine, JoinMoments());
  if (threadIdx.x == 0) {
    mean[blockIdx.x] = all.mean;
    variance[blockIdx.x] = all.squares / all.count;
  }
}

}  // namespace

void mean_variance(MatrixView<const float> in, std::span<float> mean, std::span<float> variance,
                   cudaStream_t stream) {
  constexpr int THREADS = 256;
  require_matrix(in, "in");
  require_same_size(mean.size(), "mean", in.rows, "a column of in");
  require_same_size(variance.size(), "variance", in.rows, "a column of in");
  const auto kernel =
      has_rows_of_float4(in) ? mean_variance_kernel<THREADS, 4> : mean_variance_kernel<THREADS, 1>;
  kernel<<<static_cast<unsigned>(in.rows), THREADS, 0, stream>>>(in, mean.data(), variance.data());
  check_launch();
}

}  // namespace tut::ch08
