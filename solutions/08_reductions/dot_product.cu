#include "08_reductions/dot_product.hpp"

#include "08_reductions/load_four.cuh"
#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"

namespace tut::ch08 {
namespace {

constexpr int THREADS = STRETCH_THREADS;
constexpr std::size_t FOURS =
    std::size_t{4} * THREADS;  // what the block takes with one load a thread

template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS)
    dot_product_kernel(const float* x, const float* y, std::size_t size, std::size_t length,
                       float* partial, unsigned* finished, float* out) {
  __shared__ bool is_last;
  const int t = threadIdx.x;
  std::size_t i = blockIdx.x * length;
  const std::size_t end = i + length < size ? i + length : size;

  float sum = 0.0f;
  //! [hole-registers]
  // Go through the stretch, from i to end, in steps of FOURS: load_four<ALIGNED> brings four
  // elements of each input, and neighbouring threads take neighbouring fours. Keep several sums, so
  // that no addition waits for the one just before it. What is left at the end is less than a step:
  // take it element by element. Put the sum of this thread into `sum`.
  float4 sums = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 4
  for (; i + FOURS <= end; i += FOURS) {
    const float4 a = load_four<ALIGNED>(x + i + 4 * t);
    const float4 b = load_four<ALIGNED>(y + i + 4 * t);
    sums.x += a.x * b.x, sums.y += a.y * b.y, sums.z += a.z * b.z, sums.w += a.w * b.w;
  }
  for (i += t; i < end; i += THREADS) sums.x += x[i] * y[i];
  sum = (sums.x + sums.y) + (sums.z + sums.w);
  //! [hole-registers]
  sum = block_reduce<THREADS>(sum, Add());

  if (t == 0) {
    //! [hole-ticket]
    // Write the block's sum where the last block will look for it, then count this block. What has
    // to stand between the two? The block that counts up to gridDim.x is the last one.
    partial[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicAdd(finished, 1u) + 1 == gridDim.x;
    __threadfence();  // the counter was read first, and the sums are read after it
    //! [hole-ticket]
  }
  __syncthreads();
  //! [hole-last]
  // Only the last block goes on. It adds up all blocks' sums, its threads together, writes the
  // result, and leaves the counter as it found it.
  if (!is_last) return;
  float rest = 0.0f;
  for (unsigned block = t; block < gridDim.x; block += THREADS) rest += partial[block];
  rest = block_reduce<THREADS>(rest, Add());
  if (t == 0) {
    *out = rest;
    *finished = 0;
  }
  //! [hole-last]
}

}  // namespace

void dot_product(std::span<const float> x, std::span<const float> y, std::span<float> scratch,
                 unsigned* finished, float* out, cudaStream_t stream) {
  require_same_size(x.size(), "x", y.size(), "y");
  require_reduction(x, scratch.size(), dot_product_scratch(x.size()), out);
  require(y.empty() || y.data() != nullptr, "y has no data (a null pointer)");
  require(finished != nullptr, "the counter has no memory (a null pointer)");
  const bool aligned = is_float4_aligned(x.data()) && is_float4_aligned(y.data());
  const auto kernel = aligned ? dot_product_kernel<true> : dot_product_kernel<false>;
  const auto blocks = static_cast<unsigned>(stretches(x.size()));
  kernel<<<blocks, THREADS, 0, stream>>>(x.data(), y.data(), x.size(), stretch_length(x.size()),
                                         scratch.data(), finished, out);
  check_launch();
}

}  // namespace tut::ch08
