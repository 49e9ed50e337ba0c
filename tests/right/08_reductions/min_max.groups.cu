// Cooperative groups with an operation that keeps NaN; 512 threads a block.
#include "08_reductions/min_max.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cmath>
#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

namespace cg = cooperative_groups;

struct Least {
  __device__ float operator()(float a, float b) const { return a <= b ? a : isnan(a) ? a : b; }
};
struct Greatest {
  __device__ float operator()(float a, float b) const { return a >= b ? a : isnan(a) ? a : b; }
};

__device__ void finish(float least, float greatest, float* to_least, float* to_greatest) {
  __shared__ float lows[16], highs[16];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  least = cg::reduce(warp, least, Least()), greatest = cg::reduce(warp, greatest, Greatest());
  if (warp.thread_rank() == 0) {
    lows[warp.meta_group_rank()] = least;
    highs[warp.meta_group_rank()] = greatest;
  }
  cg::this_thread_block().sync();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < 16; ++i) {
    least = Least()(least, lows[i]);
    greatest = Greatest()(greatest, highs[i]);
  }
  *to_least = least, *to_greatest = greatest;
}

__global__ void blocks_kernel(const float* in, std::size_t size, std::size_t length, float* lows,
                              float* highs) {
  const std::size_t begin = blockIdx.x * length, end = min(begin + length, size);
  float least = INFINITY, greatest = -INFINITY;
  const bool fours = reinterpret_cast<std::uintptr_t>(in) % 16 == 0;
  for (std::size_t i = begin + 4 * threadIdx.x; i < end; i += 2048) {
    alignas(16) float v[4];
    if (fours && i + 4 <= end) {
      *reinterpret_cast<float4*>(v) = *reinterpret_cast<const float4*>(in + i);
    } else {
      for (int j = 0; j < 4; ++j) v[j] = i + j < end ? in[i + j] : in[i];
    }
    for (const float value : v) {
      least = Least()(least, value);
      greatest = Greatest()(greatest, value);
    }
  }
  finish(least, greatest, lows + blockIdx.x, highs + blockIdx.x);
}

__global__ void rest_kernel(const float* lows, const float* highs, int blocks, MinMax* out) {
  float least = lows[0], greatest = highs[0];
  for (int i = threadIdx.x; i < blocks; i += blockDim.x) {
    least = Least()(least, lows[i]);
    greatest = Greatest()(greatest, highs[i]);
  }
  finish(least, greatest, &out->smallest, &out->largest);
}

}  // namespace

void min_max(std::span<const float> in, std::span<float> scratch, MinMax* out,
             cudaStream_t stream) {
  const std::size_t blocks = stretches(in.size());
  require(!in.empty() && in.data() != nullptr, "the input is empty");
  require(scratch.size() >= min_max_scratch(in.size()), "there is too little scratch memory");
  require(out != nullptr, "there is no place for the result");
  float *lows = scratch.data(), *highs = lows + blocks;
  blocks_kernel<<<static_cast<unsigned>(blocks), 512, 0, stream>>>(
      in.data(), in.size(), stretch_length(in.size()), lows, highs);
  check_launch();
  rest_kernel<<<1, 512, 0, stream>>>(lows, highs, static_cast<int>(blocks), out);
  check_launch();
}

}  // namespace tut::ch08
