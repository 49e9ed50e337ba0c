// fails: values
// Sums distances from the first element, which may lie far from all others.
#include "08_reductions/mean_variance.hpp"

#include "08_reductions/row_part.cuh"
#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

/// Distances from the first element of the row are small where the mean is large: their squares do
/// not cancel.
template <int THREADS, int WIDTH>
__global__ void __launch_bounds__(THREADS)
    mean_variance_kernel(MatrixView<const float> in, float* mean, float* variance) {
  const float* row = &in(blockIdx.x, 0);
  const float origin = *row;
  Sums mine{0.0f, 0.0f};  // of the distances from the origin, and of their squares
  for (std::int64_t j = threadIdx.x * WIDTH; j < in.cols; j += THREADS * WIDTH) {
    float values[WIDTH];
    load_group(row + j, values);
    Sums group{0.0f, 0.0f};
    for (const float value : values) {
      const float distance = value - origin;
      group.first += distance;
      group.second += distance * distance;
    }
    mine = AddSums()(mine, group);
  }
  const Sums all = block_reduce<THREADS>(mine, AddSums());
  if (threadIdx.x == 0) {
    const auto count = static_cast<float>(in.cols);
    const float distance = all.first / count;
    const float result = (all.second - all.first * distance) / count;
    mean[blockIdx.x] = origin + distance;
    variance[blockIdx.x] = result < 0.0f ? 0.0f : result;  // lets a NaN through
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
