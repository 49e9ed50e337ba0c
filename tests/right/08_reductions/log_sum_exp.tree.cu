// A tree of pairs in shared memory.
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
  __shared__ float tops[256], sums[256];
  const int t = threadIdx.x;
  Pair mine;
  const float* row = &in(blockIdx.x, 0);
  const bool fours = reinterpret_cast<std::uintptr_t>(row) % 16 == 0;
  for (int j = 4 * t; j < in.cols; j += 4 * 256) {
    if (fours && j + 4 <= in.cols) {
      const float4 v = *reinterpret_cast<const float4*>(row + j);
      mine.add(v.x, 1.0f), mine.add(v.y, 1.0f), mine.add(v.z, 1.0f), mine.add(v.w, 1.0f);
    } else {
      for (int k = j; k < min(j + 4, in.cols); ++k) mine.add(row[k], 1.0f);
    }
  }
  tops[t] = mine.top, sums[t] = mine.sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) {
      mine.add(tops[t + half], sums[t + half]);
      tops[t] = mine.top, sums[t] = mine.sum;
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = mine.result();
}

}  // namespace

void log_sum_exp(MatrixView<const float> in, std::span<float> out, cudaStream_t stream) {
  require_matrix(in, "in");
  require(out.size() == static_cast<std::size_t>(in.rows), {"out has ", out.size(), " values"});
  kernel<<<in.rows, 256, 0, stream>>>(in, out.data());
  check_launch();
}

}  // namespace tut::ch08
