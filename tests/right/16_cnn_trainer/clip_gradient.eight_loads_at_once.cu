// Eight loads at once and their sums in pairs; the gradient is scaled four at a time where it
// allows.
#include "16_cnn_trainer/clip_gradient.hpp"

#include <cstdint>
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
  sums[tx] = v;
  __syncthreads();
  for (int step = THREADS / 2; step > 0; step /= 2) {
    if (tx < step) sums[tx] += sums[tx + step];
    __syncthreads();
  }
  return sums[0];
}

constexpr int EACH = static_cast<int>(CLIP_STRETCH) / THREADS;
static_assert(EACH == 8, "added up in pairs below");

__global__ void sum_squares_kernel(const float* gradient, std::size_t size, float* partial) {
  const std::size_t first = blockIdx.x * CLIP_STRETCH + threadIdx.x;
  float x[EACH];
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    const std::size_t i = first + std::size_t{THREADS} * k;
    x[k] = i < size ? gradient[i] : 0.0f;
  }
  const float mine = ((x[0] * x[0] + x[1] * x[1]) + (x[2] * x[2] + x[3] * x[3])) +
                     ((x[4] * x[4] + x[5] * x[5]) + (x[6] * x[6] + x[7] * x[7]));
  const float sum = block_sum(mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void norm_kernel(const float* partial, std::size_t partials, float* norm) {
  float mine = 0.0f;
  for (std::size_t i = threadIdx.x; i < partials; i += THREADS) mine += partial[i];
  const float sum = block_sum(mine);
  if (threadIdx.x == 0) *norm = sqrtf(sum);
}

// WIDE: float4 may be loaded.
template <bool WIDE>
__global__ void scale_kernel(float* gradient, std::size_t size, float max_norm, const float* norm) {
  const float length = *norm;
  if (!(length > max_norm) || !isfinite(length)) return;
  const float factor = max_norm / length;
  const std::size_t first = std::size_t{blockIdx.x} * (4 * THREADS);
  if (WIDE && first + 4 * THREADS <= size) {
    auto* four = reinterpret_cast<float4*>(gradient + first) + threadIdx.x;
    float4 v = *four;
    v.x *= factor, v.y *= factor, v.z *= factor, v.w *= factor;
    *four = v;
    return;
  }
  for (int k = 0; k < 4; ++k) {
    const std::size_t i = first + std::size_t{THREADS} * k + threadIdx.x;
    if (i < size) gradient[i] *= factor;
  }
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
  const bool wide = reinterpret_cast<std::uintptr_t>(gradient.data()) % sizeof(float4) == 0;
  const auto scale = wide ? scale_kernel<true> : scale_kernel<false>;
  const auto blocks = static_cast<unsigned>(ceil_div(gradient.size(), std::size_t{4 * THREADS}));
  scale<<<blocks, THREADS, 0, stream>>>(gradient.data(), gradient.size(), max_norm, norm);
  check_launch();
}

}  // namespace tut::ch16
