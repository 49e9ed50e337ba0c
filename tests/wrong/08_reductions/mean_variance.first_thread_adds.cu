// fails: budget
// says: accesses to memory
// The first thread of the block joins what all 256 have seen, one after the other: that takes no
// shuffle, and the others wait for it.
#include "08_reductions/mean_variance.hpp"

#include "08_reductions/row_part.cuh"
#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch08 {
namespace {

/// What is known of some values.
struct Moments {
  float count, mean, squares;  ///< squares: the sum of squared distances from the mean
};

struct JoinMoments {
  __device__ Moments operator()(const Moments& a, const Moments& b) const {
    const float count = a.count + b.count;
    if (a.count == 0.0f) return b;
    if (b.count == 0.0f) return a;
    const float share = b.count / count;
    const float distance = b.mean - a.mean;
    return {count, a.mean + distance * share,
            a.squares + b.squares + distance * distance * a.count * share};
  }
};

template <int WIDTH>
__device__ Moments moments_of(const float (&values)[WIDTH]) {
  Moments group{WIDTH, 0.0f, 0.0f};
  for (const float value : values) group.mean += value;
  group.mean /= WIDTH;
  for (const float value : values) {
    group.squares += (value - group.mean) * (value - group.mean);
  }
  return group;
}

template <int THREADS, int WIDTH>
__global__ void __launch_bounds__(THREADS)
    mean_variance_kernel(MatrixView<const float> in, float* mean, float* variance) {
  __shared__ Moments parts[THREADS];
  const float* row = &in(blockIdx.x, 0);
  Moments mine{0.0f, 0.0f, 0.0f};
  for (std::int64_t j = threadIdx.x * WIDTH; j < in.cols; j += THREADS * WIDTH) {
    float values[WIDTH];
    load_group(row + j, values);
    mine = JoinMoments()(mine, moments_of(values));
  }
  parts[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    Moments all = mine;
    for (int t = 1; t < THREADS; ++t) {
      const Moments part = parts[t];
      all = JoinMoments()(all, part);
    }
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
