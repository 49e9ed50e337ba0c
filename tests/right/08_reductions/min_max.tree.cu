// Trees in shared memory, and a vote about NaN.
#include "08_reductions/min_max.hpp"

#include <cmath>
#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

__device__ MinMax block_result(float least, float greatest, bool has_nan) {
  __shared__ float lows[256], highs[256];
  const int t = threadIdx.x;
  lows[t] = least, highs[t] = greatest;
  const bool nan = __syncthreads_or(has_nan);
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) {
      lows[t] = fminf(lows[t], lows[t + half]);
      highs[t] = fmaxf(highs[t], highs[t + half]);
    }
    __syncthreads();
  }
  return nan ? MinMax{NAN, NAN} : MinMax{lows[0], highs[0]};
}

__global__ void blocks_kernel(const float* in, std::size_t size, MinMax* results) {
  float least = INFINITY, greatest = -INFINITY;
  bool nan = false;
  const auto take = [&](float v) {
    least = fminf(least, v), greatest = fmaxf(greatest, v), nan = nan || isnan(v);
  };
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t me = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const std::size_t fours = reinterpret_cast<std::uintptr_t>(in) % 16 == 0 ? size / 4 : 0;
  for (std::size_t i = me; i < fours; i += threads) {
    const float4 v = reinterpret_cast<const float4*>(in)[i];
    take(v.x), take(v.y), take(v.z), take(v.w);
  }
  for (std::size_t i = 4 * fours + me; i < size; i += threads) take(in[i]);
  const MinMax result = block_result(least, greatest, nan);
  if (threadIdx.x == 0) results[blockIdx.x] = result;
}

__global__ void rest_kernel(const MinMax* results, int blocks, MinMax* out) {
  float least = INFINITY, greatest = -INFINITY;
  bool nan = false;
  for (int i = threadIdx.x; i < blocks; i += blockDim.x) {
    const MinMax result = results[i];
    least = fminf(least, result.smallest), greatest = fmaxf(greatest, result.largest);
    nan = nan || isnan(result.smallest);
  }
  const MinMax result = block_result(least, greatest, nan);
  if (threadIdx.x == 0) *out = result;
}

}  // namespace

void min_max(std::span<const float> in, std::span<float> scratch, MinMax* out,
             cudaStream_t stream) {
  const std::size_t blocks = stretches(in.size());
  require(!in.empty() && in.data() != nullptr, "the input is empty");
  require(scratch.size() >= min_max_scratch(in.size()), "there is too little scratch memory");
  require(out != nullptr, "there is no place for the result");
  MinMax* results = reinterpret_cast<MinMax*>(scratch.data());
  blocks_kernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(in.data(), in.size(), results);
  check_launch();
  rest_kernel<<<1, 256, 0, stream>>>(results, static_cast<int>(blocks), out);
  check_launch();
}

}  // namespace tut::ch08
