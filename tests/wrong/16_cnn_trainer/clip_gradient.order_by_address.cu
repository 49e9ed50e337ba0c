// fails: values
// says: goes by the size alone
// Four elements at a time where the gradient allows it: another order of the additions.
#include "16_cnn_trainer/clip_gradient.hpp"

#include <cstdint>
#include <string>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 256;

// The sum of v over the block, in all its threads.
__device__ float block_sum(float v) {
  __shared__ float sums[THREADS];
  const int tx = threadIdx.x;
  sums[tx] = v;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (tx < step) sums[tx] += sums[tx + step];
    __syncthreads();
  }
  return sums[0];
}

__device__ float squares(float4 v, float sum) {
  return fmaf(v.w, v.w, fmaf(v.z, v.z, fmaf(v.y, v.y, fmaf(v.x, v.x, sum))));
}

// ALIGNED: float4 may be loaded.
template <bool ALIGNED>
__global__ void sum_squares_kernel(const float* gradient, std::size_t size, float* partial) {
  const std::size_t first = blockIdx.x * CLIP_STRETCH;
  const std::size_t last = first + CLIP_STRETCH < size ? first + CLIP_STRETCH : size;
  std::size_t rest = first;
  float mine = 0.0f;
  if (ALIGNED) {
    const auto* four = reinterpret_cast<const float4*>(gradient);
    for (std::size_t i = first / 4 + threadIdx.x; i < last / 4; i += THREADS) {
      mine = squares(four[i], mine);
    }
    rest = last / 4 * 4;
  }
  for (std::size_t i = rest + threadIdx.x; i < last; i += THREADS) {
    mine = fmaf(gradient[i], gradient[i], mine);
  }
  const float sum = block_sum(mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void norm_kernel(const float* partial, std::size_t partials, float* norm) {
  float mine = 0.0f;
  for (std::size_t i = threadIdx.x; i < partials; i += THREADS) mine += partial[i];
  const float sum = block_sum(mine);
  if (threadIdx.x == 0) *norm = sqrtf(sum);
}

__global__ void scale_kernel(float* gradient, std::size_t size, float max_norm, const float* norm) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const float length = *norm;
  if (!isfinite(length) || length <= max_norm) return;
  gradient[i] *= max_norm / length;
}

}  // namespace

void clip_gradient(std::span<float> gradient, float max_norm, std::span<float> scratch, float* norm,
                   cudaStream_t stream) {
  ch14::require_elements(gradient.size(), gradient.data(), "the gradient");
  require_same_size(scratch.size(), "the scratch memory", clip_gradient_scratch(gradient.size()),
                    "the row of partial sums");
  require(norm != nullptr, "the norm has no memory (a null pointer)");
  require(max_norm > 0.0f, {"the largest norm is ", max_norm, "; expected a number above 0"});
  const auto stretches = static_cast<unsigned>(scratch.size());
  const bool aligned = reinterpret_cast<std::uintptr_t>(gradient.data()) % sizeof(float4) == 0;
  const auto sum_squares = aligned ? sum_squares_kernel<true> : sum_squares_kernel<false>;
  sum_squares<<<stretches, THREADS, 0, stream>>>(gradient.data(), gradient.size(), scratch.data());
  check_launch();
  norm_kernel<<<1, THREADS, 0, stream>>>(scratch.data(), scratch.size(), norm);
  check_launch();
  const auto blocks = static_cast<unsigned>(ceil_div(gradient.size(), std::size_t{THREADS}));
  scale_kernel<<<blocks, THREADS, 0, stream>>>(gradient.data(), gradient.size(), max_norm, norm);
  check_launch();
}

}  // namespace tut::ch16
