// Sums in double: squares of floats are exact there.
#include "08_reductions/mean_variance.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

__global__ void kernel(MatrixView<const float> in, float* mean, float* variance) {
  __shared__ double sums[8], squares[8];
  const int row = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  double sum = 0, square = 0;
  const auto take = [&](double value) {
    sum += value;
    square += value * value;
  };
  const float* values = &in(row, 0);
  const int fours = reinterpret_cast<std::uintptr_t>(values) % 16 == 0 ? in.cols / 4 : 0;
  for (int j = threadIdx.x; j < fours; j += blockDim.x) {
    const float4 v = reinterpret_cast<const float4*>(values)[j];
    take(v.x), take(v.y), take(v.z), take(v.w);
  }
  for (int j = 4 * fours + threadIdx.x; j < in.cols; j += blockDim.x) take(values[j]);
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, step);
    square += __shfl_down_sync(0xffffffff, square, step);
  }
  if (lane == 0) sums[warp] = sum, squares[warp] = square;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < 8; ++w) sum += sums[w], square += squares[w];
  const double centre = sum / in.cols, spread = square / in.cols - centre * centre;
  mean[row] = static_cast<float>(centre);
  variance[row] = static_cast<float>(spread < 0.0 ? 0.0 : spread);
}

}  // namespace

void mean_variance(MatrixView<const float> in, std::span<float> mean, std::span<float> variance,
                   cudaStream_t stream) {
  require_matrix(in, "in");
  require(mean.size() == static_cast<std::size_t>(in.rows), {"mean has ", mean.size(), " values"});
  require(variance.size() == mean.size(), {"variance has ", variance.size(), " values"});
  kernel<<<in.rows, 256, 0, stream>>>(in, mean.data(), variance.data());
  check_launch();
}

}  // namespace tut::ch08
