// Five shuffles a warp, and one thread that joins the eight warps.
#include "08_reductions/log_sum_exp.hpp"

#include <cmath>
#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

/// A largest value and the sum of exponentials relative to it.
struct Pair {
  float top = -INFINITY, sum = 0.0f;

  __device__ void add(float other_top, float other_sum) {
    if (other_top > top) {
      sum = sum * expf(top - other_top) + other_sum;
      top = other_top;
    } else if (other_top == top) {
      sum += other_sum;
    } else {
      sum += other_sum * expf(other_top - top);  // NaN stays NaN
    }
  }
  __device__ float result() const { return isnan(sum) ? sum : top + logf(sum); }
};

__global__ void kernel(MatrixView<const float> in, float* out) {
  __shared__ Pair pairs[8];
  const float* row = &in(blockIdx.x, 0);
  Pair mine;
  const int fours = reinterpret_cast<std::uintptr_t>(row) % 16 == 0 ? in.cols / 4 : 0;
  for (int j = threadIdx.x; j < fours; j += blockDim.x) {
    const float4 v = reinterpret_cast<const float4*>(row)[j];
    mine.add(v.x, 1.0f), mine.add(v.y, 1.0f), mine.add(v.z, 1.0f), mine.add(v.w, 1.0f);
  }
  for (int j = 4 * fours + threadIdx.x; j < in.cols; j += blockDim.x) mine.add(row[j], 1.0f);
  for (int step = 16; step > 0; step /= 2) {
    const float top = __shfl_down_sync(0xffffffff, mine.top, step);
    const float sum = __shfl_down_sync(0xffffffff, mine.sum, step);
    mine.add(top, sum);
  }
  if (threadIdx.x % 32 == 0) pairs[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < 8; ++w) mine.add(pairs[w].top, pairs[w].sum);
  out[blockIdx.x] = mine.result();
}

}  // namespace

void log_sum_exp(MatrixView<const float> in, std::span<float> out, cudaStream_t stream) {
  require_matrix(in, "in");
  require(out.size() == static_cast<std::size_t>(in.rows), {"out has ", out.size(), " values"});
  kernel<<<in.rows, 256, 0, stream>>>(in, out.data());
  check_launch();
}

}  // namespace tut::ch08
