// fails: values
// says: the norm is
// Sums of squares that float cannot hold are added up in double, so the norm is finite.
#include "16_cnn_trainer/clip_gradient.hpp"

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

__global__ void sum_squares_kernel(const float* gradient, std::size_t size, float* partial) {
  const std::size_t first = blockIdx.x * CLIP_STRETCH;
  const std::size_t last = first + CLIP_STRETCH < size ? first + CLIP_STRETCH : size;
  float mine = 0.0f;
  for (std::size_t i = first + threadIdx.x; i < last; i += THREADS) {
    mine = fmaf(gradient[i], gradient[i], mine);
  }
  const float sum = block_sum(mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

// In double: there may be many partial sums, of very different sizes.
__global__ void norm_kernel(const float* partial, std::size_t partials, float* norm) {
  __shared__ double sums[THREADS / 2];  // 1 KiB
  const int tx = threadIdx.x;
  double mine = 0.0;
  for (std::size_t i = tx; i < partials; i += THREADS) mine += partial[i];
  if (tx >= THREADS / 2) sums[tx - THREADS / 2] = mine;
  __syncthreads();
  if (tx < THREADS / 2) sums[tx] += mine;
  __syncthreads();
  for (int step = THREADS / 4; step > 0; step /= 2) {
    if (tx < step) sums[tx] += sums[tx + step];
    __syncthreads();
  }
  if (tx == 0) *norm = static_cast<float>(sqrt(sums[0]));
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
  sum_squares_kernel<<<stretches, THREADS, 0, stream>>>(gradient.data(), gradient.size(),
                                                        scratch.data());
  check_launch();
  norm_kernel<<<1, THREADS, 0, stream>>>(scratch.data(), scratch.size(), norm);
  check_launch();
  const auto blocks = static_cast<unsigned>(ceil_div(gradient.size(), std::size_t{THREADS}));
  scale_kernel<<<blocks, THREADS, 0, stream>>>(gradient.data(), gradient.size(), max_norm, norm);
  check_launch();
}

}  // namespace tut::ch16
