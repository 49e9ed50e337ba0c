#include "08_reductions/mean_variance.hpp"

#include "08_reductions/row_part.cuh"
#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

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
    Moments all = a;
    //! [hole-join]
    // Join a and b by the formulas of the contract. A thread may have seen no value: its count
    // is 0. Two of these must not give 0 / 0. Joined with one of them, the other stays as it is:
    // the mean that belongs to a count of 0 does not matter, though its distance may be infinite.
    if (a.count == 0.0f) return b;
    if (b.count == 0.0f) return a;
    const float count = a.count + b.count;
    const float share = b.count / count;
    const float distance = b.mean - a.mean;
    all.count = count;
    all.mean = a.mean + distance * share;
    all.squares = a.squares + b.squares + distance * distance * a.count * share;
    //! [hole-join]
    return all;
  }
};

template <int WIDTH>
__device__ Moments moments_of(const float (&values)[WIDTH]) {
  Moments group{WIDTH, 0.0f, 0.0f};
  //! [hole-group]
  // Describe these few values: compute their mean first, then add up the squares of their
  // distances from it.
  for (const float value : values) group.mean += value;
  group.mean /= WIDTH;
  for (const float value : values) {
    group.squares += (value - group.mean) * (value - group.mean);
  }
  //! [hole-group]
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
    //! [hole-stride]
    // Join what these values say to what this thread has seen so far.
    mine = JoinMoments()(mine, moments_of(values));
    //! [hole-stride]
  }
  //! [hole-result]
  // Join the threads of the block. One of them writes both results.
  const Moments all = block_reduce<THREADS>(mine, JoinMoments());
  if (threadIdx.x == 0) {
    mean[blockIdx.x] = all.mean;
    variance[blockIdx.x] = all.squares / all.count;
  }
  //! [hole-result]
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
