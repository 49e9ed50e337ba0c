// A warp takes a row, four neighbours a lane where rows allow it.
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
  const int row = blockIdx.x * 8 + threadIdx.y, lane = threadIdx.x;
  if (row >= in.rows) return;
  const float* values = &in(row, 0);
  Pair mine;
  int done = 0;
  if (reinterpret_cast<std::uintptr_t>(values) % 16 == 0) {
    for (int j = lane; j < in.cols / 4; j += 32) {
      const float4 v = reinterpret_cast<const float4*>(values)[j];
      mine.add(v.x, 1.0f);
      mine.add(v.y, 1.0f);
      mine.add(v.z, 1.0f);
      mine.add(v.w, 1.0f);
    }
    done = in.cols / 4 * 4;
  }
  for (int j = done + lane; j < in.cols; j += 32) mine.add(values[j], 1.0f);
  for (int step = 1; step < 32; step *= 2) {
    const float top = __shfl_xor_sync(0xffffffff, mine.top, step);
    const float sum = __shfl_xor_sync(0xffffffff, mine.sum, step);
    mine.add(top, sum);
  }
  if (lane == 0) out[row] = mine.result();
}

}  // namespace

void log_sum_exp(MatrixView<const float> in, std::span<float> out, cudaStream_t stream) {
  require_matrix(in, "in");
  require(out.size() == static_cast<std::size_t>(in.rows), {"out has ", out.size(), " values"});
  kernel<<<(in.rows + 7) / 8, dim3(32, 8), 0, stream>>>(in, out.data());
  check_launch();
}

}  // namespace tut::ch08
