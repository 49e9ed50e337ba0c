// A warp takes a row; four neighbours at a time where rows allow it.
#include "08_reductions/mean_variance.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

struct Moments {
  int n = 0;  // of a lane in a row of 10^9: more than float counts
  float mean = 0.0f, m2 = 0.0f;

  __device__ void add(float value) {
    ++n;
    const float d = value - mean;
    mean += d / n;
    m2 += d * (value - mean);
  }
  __device__ void join(const Moments& b) {
    if (b.n == 0) return;
    n += b.n;
    const float share = static_cast<float>(b.n) / n, d = b.mean - mean;
    m2 += b.m2 + d * d * (share * (n - b.n));
    mean += d * share;
  }
};

__global__ void kernel(MatrixView<const float> in, float* mean, float* variance) {
  const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= in.rows) return;
  const float* values = &in(row, 0);
  const int fours = reinterpret_cast<std::uintptr_t>(values) % 16 == 0 ? in.cols / 4 : 0;
  Moments mine;
  for (int j = lane; j < fours; j += 32) {
    const float4 v = reinterpret_cast<const float4*>(values)[j];
    mine.add(v.x), mine.add(v.y), mine.add(v.z), mine.add(v.w);
  }
  for (int j = 4 * fours + lane; j < in.cols; j += 32) mine.add(values[j]);
  for (int step = 1; step < 32; step *= 2) {
    Moments other;
    other.n = __shfl_xor_sync(0xffffffff, mine.n, step);
    other.mean = __shfl_xor_sync(0xffffffff, mine.mean, step);
    other.m2 = __shfl_xor_sync(0xffffffff, mine.m2, step);
    mine.join(other);
  }
  if (lane == 0) mean[row] = mine.mean, variance[row] = mine.m2 / mine.n;
}

}  // namespace

void mean_variance(MatrixView<const float> in, std::span<float> mean, std::span<float> variance,
                   cudaStream_t stream) {
  require_matrix(in, "in");
  require(mean.size() == static_cast<std::size_t>(in.rows), {"mean has ", mean.size(), " values"});
  require(variance.size() == mean.size(), {"variance has ", variance.size(), " values"});
  kernel<<<(in.rows + 3) / 4, 128, 0, stream>>>(in, mean.data(), variance.data());
  check_launch();
}

}  // namespace tut::ch08
