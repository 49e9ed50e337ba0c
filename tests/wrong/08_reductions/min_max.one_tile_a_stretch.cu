// fails: values
// Takes a stretch for one tile, which it is up to 2^25 elements.
#include "08_reductions/min_max.hpp"

#include <cmath>

#include "08_reductions/load_four.cuh"
#include "08_reductions/sum_levels.hpp"
#include "08_reductions/warp_reduce.cuh"
#include "tut/check.hpp"

namespace tut::ch08 {

// Beside the type, where warp_reduce finds it.
__device__ static MinMax shuffle_xor(const MinMax& value, int step) {
  return {shuffle_xor(value.smallest, step), shuffle_xor(value.largest, step)};
}

namespace {

constexpr int THREADS = STRETCH_THREADS;
constexpr std::size_t FOURS =
    std::size_t{4} * THREADS;  // what the block takes with one load a thread

// Of a number and a NaN the NaN.
struct JoinMinMax {
  __device__ static bool is_nan(float x) { return x != x; }
  __device__ MinMax operator()(const MinMax& a, const MinMax& b) const {
    return {b.smallest < a.smallest || is_nan(b.smallest) ? b.smallest : a.smallest,
            b.largest > a.largest || is_nan(b.largest) ? b.largest : a.largest};
  }
};

template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS)
    min_max_kernel(const float* in, std::size_t size, std::size_t length, float* smallest,
                   float* largest) {
  const int t = threadIdx.x;
  std::size_t i = blockIdx.x * length;
  const std::size_t end = i + length < size ? i + length : size;

  MinMax mine{INFINITY, -INFINITY};  // of no element: whatever it is joined with wins
  const JoinMinMax join;
  const auto meet = [&](float x) { mine = join(mine, MinMax{x, x}); };
  if (i + STRETCH_TILE <= end) {  // a whole tile: all loads are under way at once
    float4 x[STRETCH_LOADS];
#pragma unroll
    for (int k = 0; k < STRETCH_LOADS; ++k)
      x[k] = load_four<ALIGNED>(in + i + 4 * (k * THREADS + t));
#pragma unroll
    for (int k = 0; k < STRETCH_LOADS; ++k) meet(x[k].x), meet(x[k].y), meet(x[k].z), meet(x[k].w);
  } else {  // the last one
    for (i += t; i < end; i += THREADS) meet(in[i]);
  }
  mine = block_reduce<THREADS>(mine, join);
  if (t == 0) {
    smallest[blockIdx.x] = mine.smallest;
    largest[blockIdx.x] = mine.largest;
  }
}

__global__ void min_max_of_blocks_kernel(const float* smallest, const float* largest, int count,
                                         MinMax* out) {
  MinMax mine{INFINITY, -INFINITY};
  const JoinMinMax join;
  for (int i = threadIdx.x; i < count; i += THREADS)
    mine = join(mine, MinMax{smallest[i], largest[i]});
  mine = block_reduce<THREADS>(mine, join);
  if (threadIdx.x == 0) *out = mine;
}

}  // namespace

void min_max(std::span<const float> in, std::span<float> scratch, MinMax* out,
             cudaStream_t stream) {
  require(!in.empty(), "the input has 0 elements; expected at least 1");
  require_reduction(in, scratch.size(), min_max_scratch(in.size()), out);
  const auto kernel = is_float4_aligned(in.data()) ? min_max_kernel<true> : min_max_kernel<false>;
  const auto blocks = static_cast<unsigned>(stretches(in.size()));
  float* const smallest = scratch.data();
  float* const largest = smallest + blocks;
  kernel<<<blocks, THREADS, 0, stream>>>(in.data(), in.size(), stretch_length(in.size()), smallest,
                                         largest);
  check_launch();
  min_max_of_blocks_kernel<<<1, THREADS, 0, stream>>>(smallest, largest, static_cast<int>(blocks),
                                                      out);
  check_launch();
}

}  // namespace tut::ch08
