// A tree in shared memory; the ticket wraps round to 0 by itself.
#include "08_reductions/dot_product.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

constexpr int BLOCK = 256;

__device__ float block_sum(float* sums, float value) {
  const int t = threadIdx.x;
  sums[t] = value;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  const float sum = sums[0];
  __syncthreads();
  return sum;
}

__global__ void kernel(const float* x, const float* y, std::size_t size, float* scratch,
                       unsigned* finished, float* out) {
  __shared__ float sums[BLOCK];
  __shared__ bool last;
  const std::size_t length = stretch_length(size), begin = blockIdx.x * length;
  const std::size_t end = min(begin + length, size);
  const bool fours = reinterpret_cast<std::uintptr_t>(x) % 16 == 0 &&
                     reinterpret_cast<std::uintptr_t>(y) % 16 == 0;
  float even = 0.0f, odd = 0.0f;
  for (std::size_t i = begin + 4 * threadIdx.x; i < end; i += 4 * BLOCK) {
    float4 a = make_float4(0.0f, 0.0f, 0.0f, 0.0f), b = a;
    if (fours && i + 4 <= end) {
      a = *reinterpret_cast<const float4*>(x + i);
      b = *reinterpret_cast<const float4*>(y + i);
    } else {
      a.x = x[i], b.x = y[i];
      if (i + 1 < end) a.y = x[i + 1], b.y = y[i + 1];
      if (i + 2 < end) a.z = x[i + 2], b.z = y[i + 2];
      if (i + 3 < end) a.w = x[i + 3], b.w = y[i + 3];
    }
    even += a.x * b.x + a.z * b.z;
    odd += a.y * b.y + a.w * b.w;
  }
  const float sum = block_sum(sums, even + odd);
  if (threadIdx.x == 0) {
    scratch[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  float rest = 0.0f;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK) rest += scratch[i];
  rest = block_sum(sums, rest);
  if (threadIdx.x == 0) *out = rest;
}

}  // namespace

void dot_product(std::span<const float> x, std::span<const float> y, std::span<float> scratch,
                 unsigned* finished, float* out, cudaStream_t stream) {
  const std::size_t blocks = dot_product_scratch(x.size());
  require(x.size() == y.size(), {"x has ", x.size(), " elements, y has ", y.size()});
  require(x.empty() || (x.data() != nullptr && y.data() != nullptr), "x or y has no data");
  require(scratch.size() >= blocks, {"scratch has ", scratch.size(), "; expected ", blocks});
  require(finished != nullptr && out != nullptr, "no counter, or no place for the result");
  kernel<<<static_cast<unsigned>(blocks), BLOCK, 0, stream>>>(x.data(), y.data(), x.size(),
                                                              scratch.data(), finished, out);
  check_launch();
}

}  // namespace tut::ch08
