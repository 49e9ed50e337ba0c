#include "08_reductions/sum_vectorized.hpp"

#include "08_reductions/load_four.cuh"
#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"

namespace tut::ch08 {
namespace {

//! [kernel]
constexpr int THREADS = STRETCH_THREADS, LOADS = STRETCH_LOADS;

// The sum of a stretch: every thread its part of each tile, then the threads together.
template <bool ALIGNED>
__device__ float stretch_sum(const float* in, std::size_t begin, std::size_t end) {
  const int t = threadIdx.x;
  std::size_t i = begin;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (; i + STRETCH_TILE <= end; i += STRETCH_TILE) {
    // All loads of a tile are under way before the first addition waits for one of them.
    float4 x[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) x[k] = load_four<ALIGNED>(in + i + 4 * (k * THREADS + t));
#pragma unroll
    for (int k = 0; k < LOADS; ++k) {
      sum.x += x[k].x, sum.y += x[k].y, sum.z += x[k].z, sum.w += x[k].w;
    }
  }
  for (i += t; i < end; i += THREADS) sum.x += in[i];  // what is left is less than a tile
  return block_reduce<THREADS>((sum.x + sum.y) + (sum.z + sum.w), Add());
}

template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS)
    sum_vectorized_kernel(const float* in, std::size_t size, std::size_t length, float* partial,
                          unsigned* finished, float* out) {
  __shared__ bool is_last;
  const std::size_t begin = blockIdx.x * length;
  const float sum = stretch_sum<ALIGNED>(in, begin, begin + length < size ? begin + length : size);

  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();  // whoever sees this block counted also sees its sum
    is_last = atomicAdd(finished, 1u) + 1 == gridDim.x;
    __threadfence();  // the counter was read first, and the sums are read after it
  }
  __syncthreads();
  if (!is_last) return;

  float rest = 0.0f;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += THREADS) rest += partial[block];
  rest = block_reduce<THREADS>(rest, Add());
  if (threadIdx.x == 0) {
    *out = rest;
    *finished = 0;  // ready for the next call
  }
}
//! [kernel]

}  // namespace

void sum_vectorized(std::span<const float> in, std::span<float> scratch, unsigned* finished,
                    float* out, cudaStream_t stream) {
  require_reduction(in, scratch.size(), sum_vectorized_scratch(in.size()), out);
  require(finished != nullptr, "the counter has no memory (a null pointer)");
  const auto kernel =
      is_float4_aligned(in.data()) ? sum_vectorized_kernel<true> : sum_vectorized_kernel<false>;
  const auto blocks = static_cast<unsigned>(stretches(in.size()));
  kernel<<<blocks, THREADS, 0, stream>>>(in.data(), in.size(), stretch_length(in.size()),
                                         scratch.data(), finished, out);
  check_launch();
}

}  // namespace tut::ch08
