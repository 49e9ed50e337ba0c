// fails: budget
// says: threads use memory
// One block goes through both inputs and has its sum at the end: no scratch memory, no fence, no
// counter, and one multiprocessor at work.
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
    dot_product_kernel(const float* x, const float* y, std::size_t size, float* out) {
  const int t = threadIdx.x;
  float4 sums = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  std::size_t i = 0;
#pragma unroll 4
  for (; i + FOURS <= size; i += FOURS) {
    const float4 a = load_four<ALIGNED>(x + i + 4 * t);
    const float4 b = load_four<ALIGNED>(y + i + 4 * t);
    sums.x += a.x * b.x, sums.y += a.y * b.y, sums.z += a.z * b.z, sums.w += a.w * b.w;
  }
  for (i += t; i < size; i += THREADS) sums.x += x[i] * y[i];
  const float sum = block_reduce<THREADS>((sums.x + sums.y) + (sums.z + sums.w), Add());
  if (t == 0) *out = sum;
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
  kernel<<<1, THREADS, 0, stream>>>(x.data(), y.data(), x.size(), out);
  check_launch();
}

}  // namespace tut::ch08
