#include "08_reductions/argmax.hpp"

#include "08_reductions/load_four.cuh"
#include "08_reductions/sum_levels.hpp"
#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"

namespace tut::ch08 {

// Beside the type, where warp_reduce finds it.
__device__ static ArgMax shuffle_xor(const ArgMax& value, int step) {
  return {__shfl_xor_sync(ALL_LANES, value.value, step),
          __shfl_xor_sync(ALL_LANES, value.index, step)};
}

namespace {

constexpr int THREADS = STRETCH_THREADS, LOADS = STRETCH_LOADS;

// Whether a is larger than b, a NaN larger than every number.
__device__ bool is_larger(float a, float b) { return !(a <= b) && b == b; }

//! [winner]
// The larger of two candidates, and the first of equal ones: the result does not depend on the
// order in which candidates are joined.
struct Winner {
  __device__ ArgMax operator()(const ArgMax& a, const ArgMax& b) const {
    if (is_larger(a.value, b.value)) return a;
    if (is_larger(b.value, a.value)) return b;
    return a.index < b.index ? a : b;
  }
};
//! [winner]

template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS)
    argmax_kernel(const float* in, std::size_t size, std::size_t length, ArgMax* candidates) {
  const int t = threadIdx.x;
  std::size_t i = blockIdx.x * length;
  const std::size_t end = i + length < size ? i + length : size;

  // Every thread begins with the first element of the stretch, and goes on with its own, from left
  // to right: so only what is larger replaces what it has.
  ArgMax best{in[i], static_cast<std::int64_t>(i)};
  const auto meet = [&](float value, std::size_t index) {
    if (is_larger(value, best.value)) best = {value, static_cast<std::int64_t>(index)};
  };
  for (; i + STRETCH_TILE <= end; i += STRETCH_TILE) {
    float4 x[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) x[k] = load_four<ALIGNED>(in + i + 4 * (k * THREADS + t));
#pragma unroll
    for (int k = 0; k < LOADS; ++k) {
      const std::size_t first = i + 4 * (k * THREADS + t);
      meet(x[k].x, first), meet(x[k].y, first + 1), meet(x[k].z, first + 2);
      meet(x[k].w, first + 3);
    }
  }
  for (i += t; i < end; i += THREADS) meet(in[i], i);
  best = block_reduce<THREADS>(best, Winner());
  if (t == 0) candidates[blockIdx.x] = best;
}

__global__ void argmax_of_candidates_kernel(const ArgMax* candidates, int count, ArgMax* out) {
  ArgMax best = candidates[0];
  for (int i = threadIdx.x; i < count; i += THREADS) best = Winner()(best, candidates[i]);
  best = block_reduce<THREADS>(best, Winner());
  if (threadIdx.x == 0) *out = best;
}

}  // namespace

void argmax(std::span<const float> in, std::span<ArgMax> scratch, ArgMax* out,
            cudaStream_t stream) {
  require(!in.empty(), "the input has 0 elements; expected at least 1");
  require_reduction(in, scratch.size(), argmax_scratch(in.size()), out);
  const auto kernel = is_float4_aligned(in.data()) ? argmax_kernel<true> : argmax_kernel<false>;
  const auto blocks = static_cast<unsigned>(stretches(in.size()));
  kernel<<<blocks, THREADS, 0, stream>>>(in.data(), in.size(), stretch_length(in.size()),
                                         scratch.data());
  check_launch();
  argmax_of_candidates_kernel<<<1, THREADS, 0, stream>>>(scratch.data(), static_cast<int>(blocks),
                                                         out);
  check_launch();
}

}  // namespace tut::ch08
