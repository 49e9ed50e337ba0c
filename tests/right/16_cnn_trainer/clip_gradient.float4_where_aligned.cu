// Four neighbours a thread, in one load where the gradient is aligned.
#include "16_cnn_trainer/clip_gradient.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "tut/check.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 128;

__device__ bool is_aligned(const float* p) {
  return reinterpret_cast<std::uintptr_t>(p) % sizeof(float4) == 0;
}

__device__ float block_sum(float v) {
  __shared__ float sums[THREADS];
  sums[threadIdx.x] = v;
  for (unsigned step = THREADS / 2; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
  }
  return threadIdx.x == 0 ? sums[0] : 0.0f;
}

__global__ void squares_kernel(const float* gradient, std::size_t size, float* scratch) {
  const std::size_t first = std::size_t{blockIdx.x} * CLIP_STRETCH;
  const float* from = gradient + first;
  float mine = 0.0f;
  if (is_aligned(from) && first + CLIP_STRETCH <= size) {
    for (std::size_t q = threadIdx.x; q < CLIP_STRETCH / 4; q += THREADS) {
      const float4 v = reinterpret_cast<const float4*>(from)[q];
      mine += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
    }
  } else {
    for (std::size_t i = threadIdx.x; i < CLIP_STRETCH && first + i < size; i += THREADS) {
      mine += from[i] * from[i];
    }
  }
  const float sum = block_sum(mine);
  if (threadIdx.x == 0) scratch[blockIdx.x] = sum;
}

__global__ void norm_kernel(const float* scratch, unsigned stretches, float* norm) {
  float mine = 0.0f;
  for (unsigned s = threadIdx.x; s < stretches; s += THREADS) mine += scratch[s];
  const float sum = block_sum(mine);
  if (threadIdx.x == 0) *norm = sqrtf(sum);
}

__global__ void scale_kernel(float* gradient, std::size_t size, float max_norm, const float* norm) {
  const float length = norm[0];
  if (isnan(length) || isinf(length) || length <= max_norm) return;
  const float factor = max_norm / length;
  const std::size_t q = std::size_t{blockIdx.x} * THREADS + threadIdx.x;
  if (is_aligned(gradient) && 4 * q + 4 <= size) {
    float4 v = reinterpret_cast<float4*>(gradient)[q];
    v = make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
    reinterpret_cast<float4*>(gradient)[q] = v;
  } else {
    for (std::size_t i = 4 * q; i < 4 * q + 4 && i < size; ++i) gradient[i] *= factor;
  }
}

unsigned scale_blocks(std::size_t size) {
  return static_cast<unsigned>((size + 4 * THREADS - 1) / (4 * THREADS));
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
