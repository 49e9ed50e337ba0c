// Shuffles in place of the tree in shared memory, and some blocks that go through the gradient.
#include "16_cnn_trainer/clip_gradient.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 512;

__device__ float block_sum(float v) {
  __shared__ float parts[THREADS / 32];
  for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(0xffffffff, v, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
  __syncthreads();
  float all = 0.0f;
  if (threadIdx.x == 0) {
    for (const float part : parts) all += part;
  }
  return all;
}

__global__ void squares_kernel(const float* gradient, std::size_t size, float* scratch) {
  float mine = 0.0f;
  const std::size_t begin = blockIdx.x * CLIP_STRETCH;
  const std::size_t end = begin + CLIP_STRETCH < size ? begin + CLIP_STRETCH : size;
  for (std::size_t i = begin + threadIdx.x; i < end; i += THREADS) {
    mine = fmaf(gradient[i], gradient[i], mine);
  }
  const float all = block_sum(mine);
  if (threadIdx.x == 0) scratch[blockIdx.x] = all;
}

__global__ void norm_kernel(const float* scratch, unsigned stretches, float* norm) {
  float mine = 0.0f;
  for (unsigned s = threadIdx.x; s < stretches; s += THREADS) mine += scratch[s];
  const float all = block_sum(mine);
  if (threadIdx.x == 0) *norm = sqrtf(all);
}

__global__ void scale_kernel(float* gradient, std::size_t size, float max_norm, const float* norm) {
  const float length = *norm;
  if (!(length > max_norm) || isinf(length)) return;
  const float factor = max_norm / length;
  for (std::size_t i = std::size_t{blockIdx.x} * THREADS + threadIdx.x; i < size;
       i += std::size_t{gridDim.x} * THREADS) {
    gradient[i] *= factor;
  }
}

unsigned scale_blocks(std::size_t size) {
  return static_cast<unsigned>(std::min((size + THREADS - 1) / THREADS, std::size_t{256}));
}

}  // namespace

void clip_gradient(std::span<float> gradient, float max_norm, std::span<float> scratch, float* norm,
                   cudaStream_t stream) {
  const std::size_t size = gradient.size();
  if (size == 0 || scratch.size() != clip_gradient_scratch(size) || norm == nullptr ||
      !(max_norm > 0.0f)) {
    throw std::invalid_argument("the arguments do not fit");
  }
  const auto stretches = static_cast<unsigned>(scratch.size());
  squares_kernel<<<stretches, THREADS, 0, stream>>>(gradient.data(), size, scratch.data());
  check_launch();
  norm_kernel<<<1, THREADS, 0, stream>>>(scratch.data(), stretches, norm);
  check_launch();
  scale_kernel<<<scale_blocks(size), THREADS, 0, stream>>>(gradient.data(), size, max_norm, norm);
  check_launch();
}

}  // namespace tut::ch16
