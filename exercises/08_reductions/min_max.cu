#include "08_reductions/min_max.hpp"

#include <cmath>

#include "08_reductions/load_four.cuh"
#include "08_reductions/sum_levels.hpp"
#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"

namespace tut::ch08 {

// Beside the type, where warp_reduce finds it.
__device__ static MinMax shuffle_xor(const MinMax& value, int step) {
  MinMax other = value;
  // TODO: A shuffle moves one register: fetch both members from the lane whose number differs in the bit
  // `step`. shuffle_xor of a float is there already.
  return other;
}

namespace {

constexpr int THREADS = STRETCH_THREADS;
constexpr std::size_t FOURS =
    std::size_t{4} * THREADS;  // what the block takes with one load a thread

struct JoinMinMax {
  __device__ MinMax operator()(const MinMax& a, const MinMax& b) const {
    MinMax both = a;
    // TODO: The smaller of a.smallest and b.smallest, the larger of the two largest; NaN if either is
    // NaN. With a NaN, every comparison but != is false: choose which ones you ask.
    return both;
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
  // TODO: Join this thread's elements of the stretch, from i to end, to `mine`: four at a time, by
  // load_four<ALIGNED>, neighbouring threads neighbouring fours; what is left one by one.
  mine = block_reduce<THREADS>(mine, join);
  if (t == 0) {
    smallest[blockIdx.x] = mine.smallest;
    largest[blockIdx.x] = mine.largest;
  }
}

__global__ void min_max_of_blocks_kernel(const float* smallest, const float* largest, int count,
                                         MinMax* out) {
  MinMax mine{INFINITY, -INFINITY};
  // TODO: One block joins what the blocks have found, and writes the result.
}

}  // namespace

void min_max(std::span<const float> in, std::span<float> scratch, MinMax* out,
             cudaStream_t stream) {
  require(!in.empty(), "the input has 0 elements; expected at least 1");
  require_reduction(in, scratch.size(), min_max_scratch(in.size()), out);
  const auto kernel = is_float4_aligned(in.data()) ? min_max_kernel<true> : min_max_kernel<false>;
  const auto blocks = static_cast<unsigned>(stretches(in.size()));
  float* smallest = scratch.data();
  float* largest = smallest + blocks;
  kernel<<<blocks, THREADS, 0, stream>>>(in.data(), in.size(), stretch_length(in.size()), smallest,
                                         largest);
  check_launch();
  min_max_of_blocks_kernel<<<1, THREADS, 0, stream>>>(smallest, largest, static_cast<int>(blocks),
                                                      out);
  check_launch();
}

}  // namespace tut::ch08
