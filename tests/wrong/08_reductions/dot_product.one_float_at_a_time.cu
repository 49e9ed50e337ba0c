// fails: budget
// says: a thread loads 4.0 bytes at a time
// Element by element: four times the requests for the same bytes.
#include "08_reductions/dot_product.hpp"

#include "08_reductions/load_four.cuh"
#include "08_reductions/warp_reduce.cuh"
#include "tut/check.hpp"

namespace tut::ch08 {
namespace {

constexpr int THREADS = STRETCH_THREADS;

template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS)
    dot_product_kernel(const float* x, const float* y, std::size_t size, std::size_t length,
                       float* partial, unsigned* finished, float* out) {
  __shared__ bool is_last;
  const int t = threadIdx.x;
  std::size_t i = blockIdx.x * length;
  const std::size_t end = i + length < size ? i + length : size;

  float sum = 0.0f;
  for (i += t; i < end; i += THREADS) sum += x[i] * y[i];
  sum = block_reduce<THREADS>(sum, Add());

  if (t == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicAdd(finished, 1u) + 1 == gridDim.x;
  }
  __syncthreads();
  if (!is_last) return;
  float rest = 0.0f;
  for (unsigned block = t; block < gridDim.x; block += THREADS) rest += partial[block];
  rest = block_reduce<THREADS>(rest, Add());
  if (t == 0) {
    *out = rest;
    *finished = 0;
  }
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
