// Welford's update for each value, and a tree in shared memory.
#include "08_reductions/mean_variance.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

struct Moments {
  float n = 0.0f, mean = 0.0f, m2 = 0.0f;

  __device__ void add(float value) {
    n += 1.0f;
    const float d = value - mean;
    mean += d / n;
    m2 += d * (value - mean);
  }
  __device__ void join(const Moments& b) {
    if (b.n == 0.0f) return;
    const float all = n + b.n, d = b.mean - mean;
    m2 += b.m2 + d * d * (n * b.n / all);
    mean += d * (b.n / all);
    n = all;
  }
};

__global__ void kernel(MatrixView<const float> in, float* mean, float* variance) {
  __shared__ Moments all[256];
  const int t = threadIdx.x, row = blockIdx.x;
  Moments mine;
  const float* values = &in(row, 0);
  const int fours = reinterpret_cast<std::uintptr_t>(values) % 16 == 0 ? in.cols / 4 : 0;
  for (int j = t; j < fours; j += 256) {
    const float4 v = reinterpret_cast<const float4*>(values)[j];
    mine.add(v.x), mine.add(v.y), mine.add(v.z), mine.add(v.w);
  }
  for (int j = 4 * fours + t; j < in.cols; j += 256) mine.add(values[j]);
  all[t] = mine;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) {
      mine.join(all[t + half]);
      all[t] = mine;
    }
    __syncthreads();
  }
  if (t == 0) mean[row] = mine.mean, variance[row] = mine.m2 / mine.n;
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
