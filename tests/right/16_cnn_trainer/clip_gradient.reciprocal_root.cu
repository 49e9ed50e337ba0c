// The norm by the reciprocal of its root, which is the faster one and less exact.
#include "16_cnn_trainer/clip_gradient.hpp"

#include <string>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 256;

// The sum of v over the block, in all its threads.
__device__ float block_sum(float v) {
  __shared__ float sums[THREADS];
  const int tx = threadIdx.x;
  float all = v;
  sums[tx] = v;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (tx < step) sums[tx] += sums[tx + step];
    __syncthreads();
  }
  all = sums[0];
  return all;
}

__global__ void sum_squares_kernel(const float* gradient, std::size_t size, float* partial) {
  const std::size_t first = blockIdx.x * CLIP_STRETCH;
  float mine = 0.0f;
  for (std::size_t i = threadIdx.x; i < CLIP_STRETCH && first + i < size; i += THREADS) {
    mine += gradient[first + i] * gradient[first + i];
  }
  const float sum = block_sum(mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void norm_kernel(const float* partial, std::size_t partials, float* norm) {
  float mine = 0.0f;
  for (std::size_t i = threadIdx.x; i < partials; i += THREADS) mine += partial[i];
  const float sum = block_sum(mine);
  if (threadIdx.x == 0) *norm = sum > 0.0f && isfinite(sum) ? sum * rsqrtf(sum) : sum;
}

__global__ void scale_kernel(float* gradient, std::size_t size, float max_norm, const float* norm) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const float length = *norm;
  if (isfinite(length) && length > max_norm) gradient[i] *= max_norm / length;
}

}  // namespace

void clip_gradient(std::span<float> gradient, float max_norm, std::span<float> scratch, float* norm,
                   cudaStream_t stream) {
  ch14::require_elements(gradient.size(), gradient.data(), "the gradient");
  require_same_size(scratch.size(), "the scratch memory", clip_gradient_scratch(gradient.size()),
                    "the row of partial sums");
  require(norm != nullptr, "the norm has no memory (a null pointer)");
  require(max_norm > 0.0f, {"the largest norm is ", max_norm, "; expected a number above 0"});
  sum_squares_kernel<<<static_cast<unsigned>(scratch.size()), THREADS, 0, stream>>>(
      gradient.data(), gradient.size(), scratch.data());
  check_launch();
  norm_kernel<<<1, THREADS, 0, stream>>>(scratch.data(), scratch.size(), norm);
  check_launch();
  scale_kernel<<<ch14::element_blocks(gradient.size()), ch14::ELEMENT_THREADS, 0, stream>>>(
      gradient.data(), gradient.size(), max_norm, norm);
  check_launch();
}

}  // namespace tut::ch16
